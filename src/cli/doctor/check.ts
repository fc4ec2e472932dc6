/*
 * What `keyturn doctor` looks at. A check is one idea in one file. It tells what it saw, and each problem in three
 * sentences: what is wrong, why that matters, and what mends it. All checks run at once, each for 16 s at most; they ask
 * only the servers that the config names.
 */

import { enabledChannels } from '../../config/extension-settings.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { type Clock, withTimeout } from '../../lib/clock.ts';
import { innermostError } from '../../lib/http.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import { connectionFault } from '../../lib/network/connection-fault.ts';
import { messageOf } from '../../lib/plain-text.ts';
import type { InLanguage, Language } from '../../lib/words.ts';
import type { Place } from '../place.ts';
import { doctorWords, type ProblemWords } from './words.ts';

export interface CheckContext {
  readonly place: Place;
  /** Undefined if the config cannot be used: then only what needs none is looked at. */
  readonly loaded: LoadedConfig | undefined;
  /** How many faults the config has. */
  readonly faults: number;
  readonly dataFolder: string;
  /** Whether a daemon works with the data folder now. */
  readonly isRunning: boolean;
  /** Through the proxies that the config and the environment name. */
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** Whether a person waits for the answer: then what needs long to be sure is looked at more briefly. Default: no. */
  readonly isInHaste?: boolean;
  /** How much room a folder's disk has, in bytes. Default: the system's answer. */
  readonly freeBytes?: (folder: string) => number;
  /** What the system says of a folder. Default: its answer. */
  readonly folderFacts?: (folder: string) => FolderFacts;
  /** The number of the user who asks. Default: of the process. */
  readonly user?: number;
}

/** What the system says of a folder, and of who asks. */
export interface FolderFacts {
  /** Why the user may not write there: `EACCES`, `EROFS`. */
  readonly refusal: string | undefined;
  readonly owner: number;
  /** Of the process. Undefined where there are none. */
  readonly user: number | undefined;
  /** The number of its file system's kind, as Linux has it. */
  readonly fileSystem: number;
  /** How many files may be made. Undefined: as many as one likes. */
  readonly freeFiles: number | undefined;
}

export interface Problem {
  /** Otherwise it works, but not as it should. */
  readonly isFault: boolean;
  readonly words: (language: Language) => ProblemWords;
}

/** Undefined: there is nothing to look at. */
export type Check = (context: CheckContext) => Promise<Seen | undefined>;

export interface Seen {
  /** What was looked at: `telegram`. */
  readonly name: string;
  /** How it is, if all is well. */
  readonly state: InLanguage;
  readonly problems: readonly Problem[];
}

/** The result of a check, in one language. */
export interface CheckReport {
  readonly name: string;
  readonly ok: boolean;
  readonly state: string;
  readonly problems: readonly (ProblemWords & { readonly fault: boolean })[];
}

/** In ms. */
const longestCheck = 16_000;
const longestRequest = 5_000;
/** The most that is read of an answer, in bytes. */
const longestAnswer = 4 * 2 ** 20;

export function fault(words: Problem['words']): Problem {
  return { isFault: true, words };
}

export function doubt(words: Problem['words']): Problem {
  return { isFault: false, words };
}

/** The settings of a channel that is on. */
export function channelSettings({ loaded }: Pick<CheckContext, 'loaded'>, name: string): JsonObject | undefined {
  const isOn = loaded !== undefined && enabledChannels(loaded.config.channels).has(name);
  const settings: unknown = isOn ? loaded.config.channels[name] : undefined;
  return isJsonObject(settings) ? settings : undefined;
}

/** The sentences of a problem, with these values. */
export function said<Values>(
  entry: (language: Language) => SentencesOf<Values>,
  values: NoInfer<Values>,
): Problem['words'] {
  return (language) => {
    const { what, why, mend } = entry(language);
    return { what: what(values), why: why(values), mend: mend(values) };
  };
}

interface SentencesOf<Values> {
  readonly what: (values: Values) => string;
  readonly why: (values: Values) => string;
  readonly mend: (values: Values) => string;
}

/** Runs the checks at once. One that takes too long, or has a fault of its own, is reported so. */
export async function runChecks(
  checks: Readonly<Record<string, Check>>,
  context: CheckContext,
  language: Language,
): Promise<readonly CheckReport[]> {
  const reports = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const seen = await inTime(name, check, context);
      return seen === undefined ? [] : [reportOf(seen, language)];
    }),
  );
  return reports.flat();
}

async function inTime(name: string, check: Check, context: CheckContext): Promise<Seen | undefined> {
  const late = Promise.withResolvers<Seen>();
  const callOff = context.clock.after(longestCheck, () => late.resolve(failed(name, 'TimeoutError')));
  try {
    return await Promise.race([check(context), late.promise]);
  } catch (error) {
    return failed(name, messageOf(error));
  } finally {
    callOff();
  }
}

function failed(name: string, why: string): Seen {
  const words = said((language) => doctorWords[language].checkFails, { name, why });
  return { name, state: (language) => doctorWords[language].notSeen, problems: [doubt(words)] };
}

function reportOf({ name, state, problems }: Seen, language: Language): CheckReport {
  return {
    name,
    ok: problems.length === 0,
    state: state(language),
    problems: problems.map(({ isFault, words }) => ({ ...words(language), fault: isFault })),
  };
}

/** What a server has answered. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Null if it is no JSON. */
  readonly body: JsonValue;
}

/** Why there was no answer, in words. */
export type NoAnswer = InLanguage;

interface Request extends RequestInit {
  /** How long it has, in ms. Default: 5 s. */
  readonly patience?: number;
}

/** Asks a server. Never rejects. */
export async function ask(
  { fetch: send, clock }: Pick<CheckContext, 'fetch' | 'clock'>,
  url: string,
  { patience = longestRequest, ...init }: Request = {},
): Promise<Answer | NoAnswer> {
  try {
    return await withTimeout({ clock, milliseconds: patience }, async (signal) => {
      const response = await send(url, { redirect: 'manual', ...init, signal });
      const text = await response.text();
      const { status, headers } = response;
      return { status, headers, body: parseJson(text.slice(0, longestAnswer)) ?? null };
    });
  } catch (error) {
    const place = URL.canParse(url) ? new URL(url).host : url;
    const known = connectionFault(error, place);
    if (known !== undefined) return known.wordsIn;
    const { name, code } = innermostError(error);
    return (language) => doctorWords[language].noConnection({ code: code ?? name, host: place });
  }
}
