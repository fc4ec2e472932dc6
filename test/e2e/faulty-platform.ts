import type { z } from 'zod';
import type { DaemonProcess } from '../support/daemon-process.ts';
import type { ModelServer } from '../support/model-server.ts';
import type { Found, WaitOptions } from '../support/wait-for.ts';
import type { FaultMix } from './fault-mix.ts';

/** A platform that things go wrong on. */
export interface FaultyPlatform {
  /** What the log says each time that the daemon tried in vain to receive. */
  readonly receivesNothing: string;
  /** How many of them try it side by side. */
  readonly receivers: number;
  /** How long an answer may take at most while one request in five goes wrong, in milliseconds. Left out: 20 s. */
  readonly patienceMs?: number;
  /** A message that is sent a second time is not shown a second time. */
  readonly repeatsAreDropped: boolean;
  /** What people said while nobody received comes in the order in which they said it. */
  readonly keepsOrder: boolean;
  /** Starts a fake of it with a daemon on it. Without options, nothing goes wrong. */
  start(faults?: { readonly seed: number; readonly hangingPolls: number }): Promise<FaultySetting>;
}

/** A daemon on the fake platform. */
export interface FaultySetting extends AsyncDisposable {
  readonly model: ModelServer;
  readonly daemon: DaemonProcess;
  /** What goes wrong, if anything does. */
  readonly mix?: FaultMix;
  /** Another person with a chat of their own. */
  newChat(): CountedChat;
  waitFor<Result>(look: () => Result, options: WaitOptions): Promise<Found<Result>>;
  /** Breaks all connections and lets no new ones in, or lets them in again. */
  outage(isOn: boolean): void;
  /** How many requests the daemon has made. */
  requests(): number;
  rows<Shape extends z.ZodType>(shape: Shape, sql: string): readonly z.output<Shape>[];
}

/** One person's chat with the bot. */
export interface CountedChat {
  readonly name: string;
  /** They say that. What is returned delivers it once more. */
  say(text: string): () => void;
  /** What was said last has come to the daemon. Left out where it comes in order anyway. */
  hasCome?(): boolean;
  /** All that the bot shows there, the oldest first. */
  shown(): readonly string[];
}
