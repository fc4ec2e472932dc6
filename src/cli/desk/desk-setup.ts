/* The steps of the set-up at the desk: each is tried as the set-up of the command line tries it, and what would be set is told. */

import { providerDefaults } from '../../config/choose-model.ts';
import type { DeskModel, DeskPlatform, ModelWish, TriedModel, TriedPlatform } from '../../config/config-desk.ts';
import { ConfigError } from '../../config/config-error.ts';
import { keyMakers, makerOf } from '../../config/key-shapes.ts';
import type { JsonObject } from '../../lib/json.ts';
import { type Language, wordsIn } from '../../lib/words.ts';
import { channelSettings } from '../doctor/check.ts';
import { trialText } from '../doctor/model-trial.ts';
import { channelDraft, checkChannel, isTokenThere } from '../setup/chat-step.ts';
import { type Draft, emptyDraft, joined, secretPlace } from '../setup/draft.ts';
import { findModels, servedModel, servedModels } from '../setup/find-models.ts';
import { modelDraft, practiceDraft, serverAddress, tryDraft } from '../setup/model-step.ts';
import type { SetupParts } from '../setup/parts.ts';
import { type Platform, platforms } from '../setup/platforms.ts';
import { prepareSetup } from '../setup/prepare.ts';
import { UnansweredError } from '../unanswered-error.ts';
import type { DeskParts } from './desk-parts.ts';
import { deskWords } from './words.ts';

async function prepared({ place, program }: DeskParts, language: Language): Promise<SetupParts> {
  const parts = await prepareSetup(place, program).catch(asFault);
  return { ...parts, ground: { ...parts.ground, language }, language };
}

/** What keeps a set-up from its beginning, for callers that know no errors of commands. */
function asFault(error: unknown): never {
  if (!(error instanceof UnansweredError)) throw error;
  throw new ConfigError([{ key: '', text: (language) => error.saidIn(language) }], { cause: error });
}

export async function listPlatforms(parts: DeskParts, language: Language): Promise<readonly DeskPlatform[]> {
  const setup = await prepared(parts, language);
  return platforms.map((platform) => shownPlatform(platform, setup, language));
}

function shownPlatform(platform: Platform, setup: SetupParts, language: Language): DeskPlatform {
  const { name, title, tokens, help } = platform;
  return {
    name,
    title,
    isOn: channelSettings(setup, name) !== undefined,
    help: help(language),
    tokens: tokens.map((token) => ({
      key: token.key,
      variable: token.variable,
      question: token.question(language),
      isThere: isTokenThere(platform, token, setup),
    })),
  };
}

interface Trying {
  readonly parts: DeskParts;
  readonly language: Language;
}

/** Undefined: there is no such platform. */
export async function tryPlatform(
  name: string,
  typed: ReadonlyMap<string, string>,
  { parts, language }: Trying,
): Promise<TriedPlatform | undefined> {
  const platform = platforms.find((each) => each.name === name);
  if (platform === undefined) return undefined;
  try {
    const setup = await prepared(parts, language);
    const draft = channelDraft(platform, typed, setup);
    const { report } = await checkChannel(platform, draft, setup, emptyDraft);
    const { ok, state, problems } = report;
    const shown = problems.map(({ what, why, mend }) => ({ what, why, mend }));
    return { ok, state, problems: shown, edits: draft.edits, variables: variablesOf(draft, typed) };
  } catch (error) {
    const what = said(error, language);
    return { ok: false, state: '', problems: [{ what, why: '', mend: '' }], edits: [], variables: {} };
  }
}

/** By the keys of what was typed: where it would be kept. */
function variablesOf({ variables }: Draft, typed: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  const places = [...typed].map(([key, value]) => {
    const place = [...variables].find(([, kept]) => kept === value)?.[0];
    return place === undefined ? [] : [[key, place]];
  });
  return Object.fromEntries(places.flat());
}

export async function foundModels(parts: DeskParts, language: Language): Promise<readonly DeskModel[]> {
  const { ground, surroundings, fetch: send } = await prepared(parts, language);
  const found = await findModels(ground.environment, surroundings, send);
  return found.map(({ label, hint, name, settings }) => ({
    label,
    hint: hint(language),
    wish: {
      provider: String(settings.provider),
      name,
      baseUrl: typeof settings.base_url === 'string' ? settings.base_url : undefined,
      apiKey: undefined,
    },
  }));
}

export async function tryModel(wish: ModelWish, parts: DeskParts, language: Language): Promise<TriedModel> {
  try {
    const setup = await prepared(parts, language);
    const draft = await wishedDraft(wish, setup);
    if ('type' in draft) return draft;
    const typed = new Map(wish.apiKey === undefined ? [] : [['apiKey', wish.apiKey]]);
    const shown = { edits: draft.edits, variables: variablesOf(draft, typed) };
    if (draft === practiceDraft) return { type: 'tried', ok: true, said: '', ...shown };
    const trial = await tryDraft(draft, setup);
    return { type: 'tried', ok: trial.ok, said: trialText(trial, language), ...shown };
  } catch (error) {
    return { type: 'refused', why: said(error, language) };
  }
}

/** What would be set; or what must be known first. */
async function wishedDraft(wish: ModelWish, setup: SetupParts): Promise<Draft | TriedModel> {
  const { language, ground } = setup;
  const { provider, name, apiKey } = wish;
  const say = deskWords[language];
  if (provider === 'offline') return practiceDraft;
  if (provider === 'openai_compatible') return serverDraft(wish, setup);
  const usual = providerDefaults.find((each) => each.provider === provider);
  const variable = keyMakers.find((each) => each.provider === provider && each.baseUrl === undefined)?.variable;
  if (usual === undefined || variable === undefined) {
    const known = [...providerDefaults.map((each) => each.provider), 'openai_compatible', 'offline'];
    return { type: 'refused', why: say.noProvider({ known }) };
  }
  return withKey({ provider, name: name ?? usual.name }, { key: provider, variable, apiKey }, ground);
}

async function serverDraft(
  { baseUrl, name, apiKey }: ModelWish,
  { language, ground, fetch: send }: SetupParts,
): Promise<Draft | TriedModel> {
  const say = deskWords[language];
  const known = apiKey === undefined ? undefined : makerOf(apiKey);
  const address = serverAddress(baseUrl ?? known?.baseUrl ?? '');
  if (address === undefined) return { type: 'refused', why: say.noServerAddress };
  if (name === undefined) {
    const headers: Readonly<Record<string, string>> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    const names = await servedModels(address, headers, send);
    if (typeof names === 'function') return { type: 'refused', why: names(language) };
    return 'status' in names ? { type: 'refused', why: `${address}: ${names.status}` } : { type: 'names', names };
  }
  const model = servedModel(name, known?.title ?? 'local', address);
  return withKey(model.settings, { key: model.key, variable: known?.variable ?? 'MODEL_API_KEY', apiKey }, ground);
}

interface KeyPlace {
  /** The name of the model in the config. */
  readonly key: string;
  readonly variable: string;
  readonly apiKey: string | undefined;
}

function withKey(settings: JsonObject, { key, variable, apiKey }: KeyPlace, ground: SetupParts['ground']): Draft {
  if (apiKey === undefined) return modelDraft({ key, settings }, ground);
  const place = secretPlace(ground, variable, apiKey);
  const model = modelDraft({ key, settings: { ...settings, api_key: `\${${place}}` } }, ground);
  return joined(model, { edits: [], variables: new Map([[place, apiKey]]) });
}

/** An expected failure, in words. Throws others. */
function said(error: unknown, language: Language): string {
  if (error instanceof UnansweredError) return error.saidIn(language);
  if (error instanceof ConfigError) return error.faults.map(({ text }) => wordsIn(language, text)).join('\n');
  throw error;
}
