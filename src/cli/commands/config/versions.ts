import { parse } from 'jsonc-parser';
import { differencesOf } from '../../../config/differences.ts';
import { type KeptVersion, withoutSecrets } from '../../../config/last-good.ts';
import { syntax } from '../../../config/source.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { JsonValue } from '../../../lib/json.ts';
import type { Language } from '../../../lib/words.ts';
import { UnansweredError } from '../../unanswered-error.ts';
import { exitCodes } from '../command.ts';
import { sinceOf } from '../data/audit-commands.ts';
import { instantWords } from '../see/words.ts';
import { configCommandWords } from './words.ts';

/** A text as a value, with marks in the place of secrets. Undefined if it is no JSON. */
export function writtenValue(text: string): JsonValue | undefined {
  const safe = withoutSecrets(text);
  if (safe === undefined) return undefined;
  const value: JsonValue | undefined = parse(safe, [], syntax);
  return value ?? {};
}

/** The version that is meant: by its number, or the one that was in force at a time. Throws `UnansweredError`. */
export function chosenVersion(given: string, versions: readonly KeptVersion[]): KeptVersion {
  const at = /^\d{1,2}$/.test(given) ? undefined : sinceOf(given, systemClock.now());
  const found = versions.find(({ number, keptAt }) => (at === undefined ? String(number) === given : keptAt <= at));
  if (found !== undefined) return found;
  const code = versions.length === 0 ? exitCodes.failed : exitCodes.misused;
  throw new UnansweredError(code, (language) =>
    configCommandWords[language].noVersion({ given, count: versions.length }),
  );
}

/** The newest version that is not as the file is now. Throws `UnansweredError` if there is none. */
export function formerVersion(now: JsonValue | undefined, versions: readonly KeptVersion[]): KeptVersion {
  const found = versions.find((version) => {
    const value = writtenValue(version.text);
    return value !== undefined && (now === undefined || differencesOf(now, value).length > 0);
  });
  if (found !== undefined) return found;
  throw new UnansweredError(exitCodes.failed, (language) => configCommandWords[language].noFormer);
}

/** When it was kept, for a person here. */
export function whenKept({ keptAt }: KeptVersion, language: Language): string {
  return instantWords(keptAt, systemClock.now(), language);
}
