/* The second step of a set-up: where people talk to it. */

import { ConfigError } from '../../config/config-error.ts';
import { systemClock } from '../../lib/clock.ts';
import { type JsonObject, valueAt } from '../../lib/json.ts';
import { wordsIn } from '../../lib/words.ts';
import { type CheckReport, channelSettings, runChecks } from '../doctor/check.ts';
import { type Draft, emptyDraft, joined, loadDraft, secretPlace, writtenConfig } from './draft.ts';
import type { SetupParts } from './parts.ts';
import { type Platform, type PlatformToken, platforms } from './platforms.ts';
import type { Choice, Questions } from './questions.ts';
import { setupWords } from './words.ts';

/** What would be set for a channel, and what its platform says to it. */
export interface ChatChoice {
  readonly platform: Platform;
  readonly draft: Draft;
  readonly report: CheckReport;
}

/** Asks until a platform takes the tokens, or the person goes on without. Undefined: only the terminal, or what there was. */
export async function askForChat(
  parts: SetupParts,
  model: Draft,
  questions: Questions,
): Promise<ChatChoice | undefined> {
  const { ground, language } = parts;
  const say = setupWords[language];
  const on = platforms.filter(({ name }) => channelSettings(parts, name) !== undefined);
  const choices: readonly Choice<string>[] = [
    ...(on.length === 0 ? [] : [{ value: 'keep', label: say.keepChat({ chats: on.map(({ title }) => title) }) }]),
    ...platforms.map(({ name, title, tokens }) => {
      const isThere = tokens.every(({ variable }) => (ground.environment[variable] ?? '') !== '');
      return { value: name, label: title, hint: isThere ? say.tokenFound : undefined };
    }),
    ...(on.length === 0 ? [{ value: 'terminal', label: say.onlyTerminal }] : []),
  ];
  for (;;) {
    const chosen = await questions.choose(say.whichChat, choices);
    const platform = platforms.find(({ name }) => name === chosen);
    if (platform === undefined) return undefined;
    const choice = await connect(platform, parts, model, questions);
    if (choice !== undefined) return choice;
  }
}

/** Undefined: the person wants another one. */
async function connect(
  platform: Platform,
  parts: SetupParts,
  model: Draft,
  questions: Questions,
): Promise<ChatChoice | undefined> {
  const { language } = parts;
  const say = setupWords[language];
  const { title, tokens } = platform;
  // The tokens that are there are tried before any is asked for, unless they are at work already.
  const isAtWork = channelSettings(parts, platform.name) !== undefined;
  let missing = isAtWork ? tokens : tokens.filter((token) => !isTokenThere(platform, token, parts));
  let typed: ReadonlyMap<string, string> = new Map();
  if (missing.length > 0) questions.tell(platform.help(language));
  for (;;) {
    const asked = await askTokens(missing, parts, questions);
    if (asked === undefined) return undefined;
    typed = new Map([...typed, ...asked]);
    const draft = channelDraft(platform, typed, parts);
    const choice = await questions.during(say.asking({ what: title }), () =>
      checkChannel(platform, draft, parts, model),
    );
    if (choice.report.ok) {
      questions.good(say.tokenTaken({ title, state: choice.report.state }));
      return choice;
    }
    for (const { what, mend } of choice.report.problems) questions.bad([what, mend].join('\n').trim());
    const next = await questions.choose(say.chatFailed({ title }), failedChoices(choice, parts));
    if (next === 'keep') return choice;
    if (next === 'other') return undefined;
    missing = next === 'again' ? [] : tokens;
  }
}

function failedChoices({ report }: ChatChoice, { language }: SetupParts): readonly Choice<string>[] {
  const say = setupWords[language];
  // What the config itself refuses cannot be written.
  const mayKeep = report.name !== unusable;
  return [
    { value: 'token', label: say.otherToken },
    ...(mayKeep
      ? [
          { value: 'again', label: say.checkAgain },
          { value: 'keep', label: say.takeAnyhow },
        ]
      : []),
    { value: 'other', label: say.otherChat },
  ];
}

/** The values by token key. Undefined: the person has typed nothing. */
async function askTokens(
  missing: readonly PlatformToken[],
  { language }: SetupParts,
  questions: Questions,
): Promise<ReadonlyMap<string, string> | undefined> {
  const typed = new Map<string, string>();
  for (const { key, question } of missing) {
    const value = await questions.secret(question(language));
    if (value === '') return undefined;
    typed.set(key, value);
  }
  return typed;
}

/** Whether a token stands in the config, or in the environment. */
export function isTokenThere({ name }: Platform, { key, variable }: PlatformToken, { ground }: SetupParts): boolean {
  return isSet(writtenToken(name, key, ground), ground.environment) || (ground.environment[variable] ?? '') !== '';
}

function writtenToken(name: string, key: string, ground: SetupParts['ground']): string {
  const written = valueAt(writtenConfig(ground), ['channels', name, key]);
  return typeof written === 'string' ? written : '';
}

/** Whether a value of the config is more than a variable that is not set. */
function isSet(written: string, environment: SetupParts['ground']['environment']): boolean {
  const name = /^\$\{(\w+)\}$/.exec(written)?.[1];
  return name === undefined ? written !== '' : (environment[name] ?? '') !== '';
}

/** Switches a channel on. `typed`: its new tokens, by key; others stay, or come from the environment. */
export function channelDraft(
  { name, tokens }: Platform,
  typed: ReadonlyMap<string, string>,
  { ground, surroundings }: SetupParts,
): Draft {
  const places = tokens.map(({ key, variable }) => {
    const value = typed.get(key);
    if (value === undefined) {
      const isOwn = isSet(writtenToken(name, key, ground), ground.environment);
      return isOwn ? emptyDraft : { edits: [tokenEdit(name, key, variable)], variables: new Map<string, string>() };
    }
    const place = secretPlace(ground, variable, value);
    return { edits: [tokenEdit(name, key, place)], variables: new Map([[place, value]]) };
  });
  const fixed: JsonObject = { enabled: true, ...surroundings.channels[name] };
  const edits = Object.entries(fixed).map(([key, value]) => ({ path: ['channels', name, key], value }));
  return places.reduce(joined, { edits, variables: new Map() });
}

function tokenEdit(channel: string, key: string, variable: string) {
  return { path: ['channels', channel, key], value: `\${${variable}}` };
}

/** The name of a report of what the config itself refuses. */
const unusable = 'config';

/** Whether the config takes the tokens, and then the platform. Throws `ConfigError` for faults of other places. */
export async function checkChannel(
  platform: Platform,
  draft: Draft,
  parts: SetupParts,
  model: Draft,
): Promise<ChatChoice> {
  const { place, dataFolder, isRunning, fetch: send, language, ground } = parts;
  try {
    const loaded = await loadDraft(ground, joined(model, draft));
    const context = {
      place,
      loaded,
      faults: 0,
      dataFolder,
      isRunning,
      fetch: send,
      clock: systemClock,
      isInHaste: true,
    };
    const [report = nothingSeen] = await runChecks({ [platform.name]: platform.check }, context, language);
    return { platform, draft, report };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const own = error.faults.filter(({ key }) => key.startsWith(`channels.${platform.name}`));
    if (own.length < error.faults.length) throw error;
    const problems = own.map(({ text }) => ({ what: wordsIn(language, text), why: '', mend: '', fault: true }));
    return { platform, draft, report: { name: unusable, ok: false, state: '', problems } };
  }
}

const nothingSeen: CheckReport = { name: unusable, ok: false, state: '', problems: [] };
