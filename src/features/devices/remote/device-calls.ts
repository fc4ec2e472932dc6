import { type Clock, untilAborted } from '../../../lib/clock.ts';
import { type Signal, signal } from '../../../lib/live.ts';
import { type DeviceOutcome, Patience, type WantedCall } from './device-call.ts';
import type { DeviceConnection } from './device-connection.ts';

/*
 * Calls of devices' tools. `run` finds a socket of the device that offers the tool, or waits for one. `ask` of a
 * connection sends the request under a one-time id and takes that socket's replies: chunks and progress renew the
 * timeout, a result ends the call. A timeout, a stop or the end of the socket ends it too. If the device disconnects,
 * only an idempotent tool is retried.
 */

/** Calls tools of devices: once, or until answered if idempotent. */
export interface DeviceCalls {
  /** Waits for an absent device as long as the call may take. Never rejects. */
  run(wanted: WantedCall): Promise<DeviceOutcome>;
  /** The device has offered tools: wakes its waiting calls. */
  offered(deviceId: string): void;
}

interface CallsContext {
  readonly clock: Clock;
  /** A device's sockets, newest first. */
  readonly socketsOf: (deviceId: string) => readonly DeviceConnection[];
  /** By the device's id. */
  readonly offers: Signal<string>;
}

export function createDeviceCalls(clock: Clock, socketsOf: CallsContext['socketsOf']): DeviceCalls {
  const context: CallsContext = { clock, socketsOf, offers: signal() };
  return { run: (wanted) => run(wanted, context), offered: context.offers.tell };
}

async function run(wanted: WantedCall, context: CallsContext): Promise<DeviceOutcome> {
  const patience = new Patience(context.clock, wanted.tool.timeout, wanted.signal);
  try {
    return await attempts(wanted, patience, context);
  } finally {
    patience.stop();
  }
}

async function attempts(wanted: WantedCall, patience: Patience, context: CallsContext): Promise<DeviceOutcome> {
  const { device, spec, isIdempotent } = wanted.tool;
  const { interruption } = patience;
  let wasAsked = false;
  while (!interruption.aborted) {
    const offering = context.socketsOf(device.id).filter(({ tools }) => tools.has(spec.name));
    const same = offering.filter(({ tools }) => tools.get(spec.name)?.spec.fingerprint === spec.fingerprint);
    if (same.length === 0 && offering.length > 0) return { type: 'changed', wasAsked };
    let asked: Promise<DeviceOutcome> | undefined;
    for (const socket of same) asked ??= socket.ask(wanted, patience);
    const outcome = await (asked ?? whenOffered(device.id, interruption, context));
    wasAsked ||= asked !== undefined;
    if (outcome !== undefined && (outcome.type !== 'lost' || !isIdempotent)) return outcome;
  }
  return wasAsked ? { type: patience.whyInterrupted } : { type: 'absent' };
}

/** Resolves when the device offers tools, or on interruption. */
async function whenOffered(deviceId: string, interruption: AbortSignal, { offers }: CallsContext): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const unlisten = offers.listen((id) => id === deviceId && resolve());
  await untilAborted(promise, interruption);
  unlisten();
}
