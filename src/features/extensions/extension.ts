import { inspect } from 'node:util';
import type { TrustSubject } from '../../conversation/trust-store.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { escapeMarkdown, oneLine } from '../../lib/plain-text.ts';
import { AuthoringError } from '../../tools/tool.ts';
import type { Trust } from './trust.ts';

/** External code cannot be used. The message gives the reason, to follow its name. */
export class ExtensionError extends Error {
  override readonly name = 'ExtensionError';
}

/** What is special about one piece of external code. `Read`: its exact state, as it was read. */
interface ExtensionUse<Read> {
  /** For the log: what it is, and which one. */
  readonly noun: string;
  readonly fields: object;
  /** For owners. */
  readonly title: string;
  subjectOf(read: Read): TrustSubject;
  /** Puts exactly this to use. `attempt`: contains the failure of a part. */
  on(read: Read, attempt: Attempt): Promise<void>;
  /** Leaves nothing of it running. It may already be off. */
  off(): Promise<void>;
  /** Called when it threw something. */
  failed?(): void;
  /** Called when an owner decides. Default: it goes on or off. */
  decided?(isTrusted: boolean): Promise<void>;
  /** In markdown: that it brings nothing although an owner has just trusted it; undefined if it does. */
  words?(fault: string): string | undefined;
}

/** Never rejects: what the work throws becomes a trouble. */
export type Attempt = (work: () => Promise<void>) => Promise<void>;

export interface ExtensionParts {
  readonly trust: Trust;
  readonly core: FeatureCore;
  /** Shared by those that start one after the other. */
  readonly startInTurn?: Turns;
}

export type Turns = (work: () => Promise<void>) => Promise<void>;

/** Runs work one at a time, in call order. */
export function inOrder(): Turns {
  let last = Promise.resolve();
  return (work) => {
    last = last.then(work);
    return last;
  };
}

export type Extension<Read> = ReturnType<typeof extension<Read>>;

/**
 * One piece of external code: on while an owner trusts exactly what was read of it. Its operations run one at a time.
 * Whatever it throws is logged, shown to owners in `/status`, and affects nothing else: nothing here rejects.
 */
export function extension<Read>(use: ExtensionUse<Read>, parts: ExtensionParts) {
  const { trust, core, startInTurn = (work) => work() } = parts;
  const inTurn = inOrder();
  let current: Read | undefined;
  let isTrusted = false;
  let isOver = false;
  let faults: readonly string[] = [];

  const isWanted = (): boolean => isTrusted && !isOver;

  const attempt: Attempt = async (work) => {
    try {
      await work();
    } catch (cause) {
      faults = [...faults, faultOf(cause)];
      use.failed?.();
    }
  };

  function faultOf(cause: unknown): string {
    try {
      return describe(cause);
    } catch {
      // Even a look at what it threw may throw.
      core.log.error(use.fields, `${use.noun} does not run: it threw what cannot be shown`);
      return 'it threw what cannot be shown';
    }
  }

  function describe(cause: unknown): string {
    const thrown: unknown = cause instanceof Error ? cause.message : cause;
    // Not every value can be made a string.
    const threw = typeof thrown === 'string' ? thrown : inspect(thrown, { depth: 0, customInspect: false });
    const known = cause instanceof ExtensionError ? `it ${threw}` : threw;
    const isKnown = cause instanceof ExtensionError || cause instanceof AuthoringError;
    if (isKnown) core.log.error(use.fields, `${use.noun} does not run: ${known}`);
    else core.log.error({ ...use.fields, err: cause }, `${use.noun} does not run: it threw this`);
    return isKnown ? `${known}.` : `it threw ${threw}`;
  }

  async function read(find: () => Promise<Read>): Promise<void> {
    [current, isTrusted, faults] = [undefined, false, []];
    await attempt(async () => {
      current = await find();
    });
  }

  async function review(): Promise<void> {
    const found = current;
    if (found === undefined) return;
    await attempt(async () => {
      isTrusted = await trust.review(use.subjectOf(found), decided);
    });
    if (!isTrusted) core.log.warn(use.fields, `${use.noun} is off until an owner trusts it as it is: /trust shows it`);
  }

  function decided(becameTrusted: boolean): void {
    isTrusted = becameTrusted;
    void (use.decided ?? follow)(becameTrusted).then(tell);
  }

  /** Tells owners why it brings nothing. */
  function tell(): void {
    const [fault] = faults;
    const words = fault === undefined || !isWanted() ? undefined : use.words?.(escapeMarkdown(oneLine(fault, 500)));
    if (words !== undefined) core.tellOwners(`⚠️ ${words}`);
  }

  async function settle(): Promise<void> {
    faults = [];
    const found = current;
    await attempt(() => (found !== undefined && isWanted() ? use.on(found, attempt) : use.off()));
  }

  const follow = (): Promise<void> => inTurn(settle);

  return {
    isWanted,
    isOver: (): boolean => isOver,
    /** Reads it for the first time. */
    read,
    /** Asks owners about it at once, unless it is trusted as it is. It is on or off when its turn comes. */
    start(): Promise<void> {
      const reviewed = review();
      return startInTurn(() =>
        inTurn(async () => {
          await reviewed;
          if (current !== undefined) await settle();
        }),
      );
    },
    /** Reads it again: it is off meanwhile, and on again if an owner trusts what it is now. */
    readAgain: (find: () => Promise<Read>): Promise<void> =>
      inTurn(async () => {
        if (isOver) return;
        await attempt(use.off);
        await read(find);
        await review();
        if (isWanted()) await settle();
      }),
    /** On or off, as wanted when its turn comes. */
    follow,
    tell,
    /** Off, for this reason, until an owner decides again. */
    giveUp: (why: string): Promise<void> =>
      inTurn(async () => {
        await attempt(use.off);
        faults = [why];
      }),
    stop(): Promise<void> {
      isOver = true;
      return follow();
    },
    /** Lines of plain text for owners. */
    troubles: (): readonly string[] => faults.map((fault) => `${use.title}: ${oneLine(fault, 400)}`),
  };
}
