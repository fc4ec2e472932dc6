/* The set-up that asks nothing: it takes what it is told and what it finds, and writes only what has been checked. */

import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { resolveModels } from '../../config/choose-model.ts';
import { messageOf } from '../../lib/plain-text.ts';
import { exitCodes } from '../commands/command.ts';
import { type CheckReport, channelSettings } from '../doctor/check.ts';
import { type ModelTrial, trialText } from '../doctor/model-trial.ts';
import { UnansweredError } from '../unanswered-error.ts';
import { channelDraft, checkChannel } from './chat-step.ts';
import { type Draft, emptyDraft, joined, loadDraft, newTexts } from './draft.ts';
import { findModels, servedModel, servedModels } from './find-models.ts';
import { modelDraft, practiceDraft, serverAddress, tryDraft } from './model-step.ts';
import type { SetupParts } from './parts.ts';
import { type Platform, platforms } from './platforms.ts';
import { onlyInEnvironment } from './prepare.ts';
import { startCommand, writtenLines } from './wizard.ts';
import { setupWords } from './words.ts';
import { type Written, writeTexts } from './write-files.ts';

/** What the command line says. */
export interface Told {
  /** The name of the model at its server; `offline` is the practice mode. */
  readonly model?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly channel?: string | undefined;
  /** A file with tokens, one a line; `-` is the standard input. */
  readonly tokenFile?: string | undefined;
}

/** Contains no secret. */
export interface SetupReport {
  /** Whether all was found in order; otherwise nothing was written. */
  readonly ok: boolean;
  readonly config: string;
  readonly written: readonly Written[];
  /** Missing: the model stays as it is, or is the practice mode. */
  readonly trial?: ModelTrial | undefined;
  readonly channels: readonly CheckReport[];
  /** Variables that a service needs in `.env`, too. */
  readonly onlyInEnvironment: readonly string[];
  /** A Keyturn runs, and takes over what was written. */
  readonly running: boolean;
}

export async function setUpUnasked(parts: SetupParts, told: Told, stdin: NodeJS.ReadableStream): Promise<SetupReport> {
  const { ground } = parts;
  const model = await toldModel(parts, told);
  const tokens = told.tokenFile === undefined ? [] : await tokensIn(told.tokenFile, stdin);
  const chosen = toldPlatforms(parts, told, tokens);
  const trial = model === emptyDraft || model === practiceDraft ? undefined : await tryDraft(model, parts);
  const channels = await chosen.reduce<Promise<Channels>>(
    async (before, platform) => withChannel(platform, await before, parts, tokens),
    Promise.resolve({ draft: model, reports: [] }),
  );
  const { draft, reports } = channels;
  const isFaulty = reports.some(({ problems }) => problems.some(({ fault }) => fault));
  const ok = trial?.ok !== false && !isFaulty;
  if (ok) await loadDraft(ground, draft);
  return {
    ok,
    config: ground.path,
    written: ok ? await writeTexts(ground, newTexts(ground, draft)) : [],
    trial,
    channels: reports,
    onlyInEnvironment: onlyInEnvironment(ground, draft),
    running: parts.isRunning,
  };
}

interface Channels {
  readonly draft: Draft;
  readonly reports: readonly CheckReport[];
}

async function withChannel(
  platform: Platform,
  { draft, reports }: Channels,
  parts: SetupParts,
  tokens: readonly string[],
): Promise<Channels> {
  const own = channelDraft(platform, tokensOf(platform, tokens), parts);
  const { report } = await checkChannel(platform, own, parts, draft);
  return { draft: joined(draft, own), reports: [...reports, { ...report, name: platform.name }] };
}

/** What is told; else what there is; else the best that is found. */
async function toldModel({ ground, loaded, surroundings, fetch: send }: SetupParts, told: Told): Promise<Draft> {
  const { model, baseUrl } = told;
  if (model === 'offline') return practiceDraft;
  if (baseUrl !== undefined) {
    const address = serverAddress(baseUrl);
    if (address === undefined) throw misused((language) => setupWords[language].badAddress({ address: baseUrl }));
    const [name] = model === undefined ? await namesAt(address, send) : [model];
    if (name === undefined) throw failed((language) => setupWords[language].serverEmpty({ address }));
    return modelDraft(servedModel(name, 'local', address), ground);
  }
  const { why } = resolveModels(loaded.config, loaded.environment);
  const isChosen = why.because !== 'none' && why.because !== 'variable';
  if (model === undefined && isChosen) return emptyDraft;
  const found = await findModels(ground.environment, surroundings, send);
  const best = model === undefined ? found[0] : found.find(({ name }) => name === model);
  if (best !== undefined) return modelDraft(best, ground);
  if (model === undefined) return emptyDraft;
  const names = found.map(({ name }) => name);
  throw failed((language) => setupWords[language].unknownModel({ name: model, found: names }));
}

async function namesAt(address: string, send: typeof fetch): Promise<readonly string[]> {
  const names = await servedModels(address, {}, send);
  if (typeof names === 'function')
    throw failed((language) => setupWords[language].serverFails({ address, why: names(language) }));
  if ('status' in names)
    throw failed((language) => setupWords[language].serverFails({ address, why: String(names.status) }));
  return names;
}

/** The channel that is told; else all whose tokens are there and that are not on yet. */
function toldPlatforms(parts: SetupParts, told: Told, tokens: readonly string[]): readonly Platform[] {
  if (told.channel === undefined)
    return platforms.filter((platform) => {
      const isNew = tokensOf(platform, tokens).size > 0 || channelSettings(parts, platform.name) === undefined;
      return isNew && hasTokens(platform, parts, tokens);
    });
  const { channel: name } = told;
  const platform = platforms.find((each) => each.name === name);
  const names = platforms.map((each) => each.name);
  if (platform === undefined) throw misused((language) => setupWords[language].noSuchChannel({ name, names }));
  const variables = platform.tokens.map(({ variable }) => variable);
  if (!hasTokens(platform, parts, tokens) && channelSettings(parts, name) === undefined)
    throw failed((language) => setupWords[language].noTokens({ name, variables }));
  return [platform];
}

function hasTokens(platform: Platform, { ground }: SetupParts, tokens: readonly string[]): boolean {
  const typed = tokensOf(platform, tokens);
  return platform.tokens.every(({ key, variable }) => typed.has(key) || (ground.environment[variable] ?? '') !== '');
}

/** By key. */
function tokensOf({ tokens: kinds }: Platform, tokens: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    kinds.flatMap(({ key, shape }) => {
      const token = tokens.find((each) => shape.test(each));
      return token === undefined ? [] : [[key, token] as const];
    }),
  );
}

/** Each stands on a line of its own. */
async function tokensIn(path: string, stdin: NodeJS.ReadableStream): Promise<readonly string[]> {
  const written = path === '-' ? await text(stdin) : await textOf(path);
  const tokens = written.split('\n').map((line) => line.trim());
  const kept = tokens.filter((token) => token !== '');
  const shapes = platforms.flatMap((platform) => platform.tokens.map(({ shape }) => shape));
  if (kept.length === 0 || kept.some((token) => !shapes.some((shape) => shape.test(token))))
    throw misused((language) => setupWords[language].unknownToken);
  return kept;
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const reason = messageOf(error);
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw failed((language) => {
      const say = setupWords[language];
      return isMissing ? say.noFile({ path }) : say.unreadableFile({ path, reason });
    }, error);
  }
}

type SaidIn = UnansweredError['saidIn'];

function failed(saidIn: SaidIn, cause?: unknown): UnansweredError {
  return new UnansweredError(exitCodes.failed, saidIn, cause);
}

function misused(saidIn: SaidIn): UnansweredError {
  return new UnansweredError(exitCodes.misused, saidIn);
}

/** Whether there is anything, found or told, beside what there was. */
function hasFound({ trial, channels, written }: SetupReport): boolean {
  return trial !== undefined || channels.length > 0 || written.length > 0;
}

/** For a person. */
export function reportText(report: SetupReport, { language }: SetupParts): string {
  const say = setupWords[language];
  const { ok, trial, channels, written, onlyInEnvironment: variables, running } = report;
  return [
    ...(trial === undefined ? [] : [trialText(trial, language)]),
    ...channels.flatMap(({ name, state, problems }) =>
      problems.length === 0
        ? [say.tokenTaken({ title: name, state })]
        : problems.map(({ what, mend }) => [what, mend].join(' ').trim()),
    ),
    ...(hasFound(report) ? [] : [say.nothingFound]),
    ...(ok ? writtenLines(written, language) : [say.checksFailed]),
    ...(ok && variables.length > 0 ? [say.inEnvironment({ variables })] : []),
    ...(ok
      ? [
          running
            ? written.length === 0
              ? say.runsUnchanged
              : say.runsAlready
            : say.startLater({ command: startCommand() }),
        ]
      : []),
  ].join('\n');
}
