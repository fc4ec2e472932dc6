import type { OutboundMessage } from '../../contract.ts';

/** A phone, a browser or a script that somebody has paired with his account. */
export interface Device {
  readonly id: string;
  /** As its owner calls it. */
  readonly name: string;
  /** The account that it was paired under: `telegram:123456`. */
  readonly principal: string;
  /** What people call him. */
  readonly personName: string;
  readonly createdAt: number;
  /** When it was last connected; missing where it never was. */
  readonly lastSeenAt?: number;
}

/** The name of a device to which nobody has given one. */
export const unnamed = 'device';

/** With what its token is recognised: nobody can make the token of it. */
export interface StoredDevice extends Device {
  readonly tokenHash: string;
}

/** A code that a device is paired with, as a person was shown it. */
export interface DeviceCode {
  readonly code: string;
  /** What the device is to be called; missing where it says so itself. */
  readonly name?: string;
  readonly expiresAt: number;
}

/** A device that shows a code. */
export interface DevicePairing {
  readonly code: string;
  readonly id: string;
  readonly tokenHash: string;
  /** What it calls itself, where the code gives it no name. */
  readonly name: string;
  /** What the person is told in the chat where he got the code. Called inside the transaction. */
  readonly words: (device: Device) => OutboundMessage;
  readonly at: number;
}

/** Where is kept which devices belong to whom. Each method is one transaction. */
export interface DeviceStore {
  /** Those that are not revoked, the oldest first. */
  all(): Promise<readonly StoredDevice[]>;
  /** Uses the code up, if it is good. Resolves with the device, and with the conversations that have something to show. */
  pair(pairing: DevicePairing): Promise<{ readonly device: Device; readonly places: readonly string[] } | undefined>;
  /** The device has another name from now on. */
  rename(id: string, name: string): Promise<void>;
  /** The device was connected. */
  seen(id: string, at: number): Promise<void>;
}
