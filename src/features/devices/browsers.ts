import type { Acquaintance, Device } from '../../conversation/access/access.ts';
import type { AdmittedBrowser } from '../../feature-points.ts';
import { newId } from '../../lib/ids.ts';
import type { DeviceBook, DevicesCore } from './device-book.ts';
import type { Gateway } from './gateway/gateway.ts';
import type { EndedRuns } from './tables.ts';

/** The browsers where people have signed in. */
export interface Browsers {
  /** Lets one more in. Undefined: the person may not talk, or only because everybody may. */
  admit(person: Acquaintance, name: string): Promise<AdmittedBrowser | undefined>;
  /** Lets it in no longer: its person signs out. */
  dismiss(device: Device): Promise<void>;
  /** Removes those that were not seen for long. */
  tidy(): Promise<void>;
}

interface BrowsersParts extends DevicesCore {
  readonly devices: DeviceBook;
  /** The gateway, while it is on. */
  readonly gatewayNow: () => Gateway | undefined;
}

/** One more lets the one go that was not seen for the longest. */
const mostBrowsers = 20;
const idLength = 10;

export function createBrowsers(parts: BrowsersParts): Browsers {
  return {
    admit: (person, name) => admit(person, name, parts),
    dismiss: (device) => dismiss([device], parts),
    async tidy() {
      const faded = parts.devices.faded();
      if (faded.length > 0) await dismiss(faded, parts);
    },
  };
}

async function admit(
  { principal, name: personName }: Acquaintance,
  name: string,
  parts: BrowsersParts,
): Promise<AdmittedBrowser | undefined> {
  const { rules, accounts, devices, clock } = parts;
  // As for devices: who talks because everybody may is nobody whom we know.
  if (!rules.isLetIn(principal)) return undefined;
  const own = devices.all(accounts.accountsOf(principal)).filter(({ isBrowser }) => isBrowser);
  const bySight = own.toSorted((one, other) => seenAt(one) - seenAt(other));
  const leaving = [...devices.faded(), ...bySight.slice(0, Math.max(0, own.length + 1 - mostBrowsers))];
  const now = clock.now();
  const inPlaceOf = leaving.map(({ id }) => id);
  const goOn = await cutOff(leaving, parts);
  try {
    const newcomer = { id: newId(idLength), name, principal, personName, createdAt: now, inPlaceOf };
    const { ended, ...browser } = await devices.signedIn(newcomer);
    follow(ended, parts);
    return browser;
  } catch (error) {
    goOn.putBack();
    throw error;
  } finally {
    goOn.over();
  }
}

async function dismiss(leaving: readonly Device[], parts: BrowsersParts): Promise<void> {
  const { stored, clock } = parts;
  const goOn = await cutOff(leaving, parts);
  try {
    follow(
      await stored.devices.dismiss(
        leaving.map(({ id }) => id),
        clock.now(),
      ),
      parts,
    );
  } catch (error) {
    goOn.putBack();
    throw error;
  } finally {
    goOn.over();
  }
}

interface CutOff {
  /** It could not be stored. */
  putBack(): void;
  /** Lets work go on again. */
  over(): void;
}

/** They are let in no longer from the call on, so no run of theirs begins after those that are halted. */
async function cutOff(
  leaving: readonly Device[],
  { devices, gatewayNow, halt, stored }: BrowsersParts,
): Promise<CutOff> {
  const puttingBack = leaving.map(({ id }) => devices.remove(id));
  const putBack = (): void => puttingBack.forEach((back) => void back());
  for (const { id } of leaving) gatewayNow()?.hangUpOn(id);
  try {
    return { putBack, over: halt(await stored.devices.runsOf(leaving.map(({ id }) => id))) };
  } catch (error) {
    putBack();
    throw error;
  }
}

function follow({ ended, settled, conversationIds }: EndedRuns, { gatewayNow, stop, deliver }: BrowsersParts): void {
  gatewayNow()?.aborted(settled);
  for (const conversationId of ended) stop(conversationId);
  deliver(conversationIds);
}

function seenAt({ createdAt, lastSeenAt = createdAt }: Device): number {
  return lastSeenAt;
}
