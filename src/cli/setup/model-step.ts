/* The first step of a set-up: which model answers. */

import { providerDefaults, resolveModels } from '../../config/choose-model.ts';
import { keyMakers, makerOf } from '../../config/key-shapes.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { Language } from '../../lib/words.ts';
import { type ModelTrial, trialText, tryModelOf } from '../doctor/model-trial.ts';
import { type Draft, emptyDraft, type Ground, joined, loadDraft, secretPlace, writtenConfig } from './draft.ts';
import { type FoundModel, findModels, type ServedModels, servedModel, servedModels } from './find-models.ts';
import type { SetupParts } from './parts.ts';
import type { Choice, Questions } from './questions.ts';
import { setupWords } from './words.ts';

/** What would be set for a model; a trial of it. */
export interface ModelChoice {
  readonly draft: Draft;
  /** Undefined: none was made, since the model stays, or is the practice mode. */
  readonly trial: ModelTrial | undefined;
}

/** Asks until a model answers, or the person goes on without. `isOffered`: the person may also put the whole set-up off. */
export async function askForModel(
  parts: SetupParts,
  questions: Questions,
  isOffered: boolean,
): Promise<ModelChoice | 'not-now'> {
  const { ground, surroundings, fetch: send, language } = parts;
  const say = setupWords[language];
  const found = await questions.during(say.lookingForModels, () => findModels(ground.environment, surroundings, send));
  const present = presentModel(parts);
  const choices: readonly Choice<string>[] = [
    ...(present === undefined ? [] : [{ value: 'keep', label: say.keepModel({ model: present }) }]),
    ...found.map(({ label, hint }, at) => ({ value: `found ${at}`, label, hint: hint(language) })),
    { value: 'key', label: say.enterKey },
    { value: 'server', label: say.enterServer },
    { value: 'practice', label: say.practice },
    ...(isOffered ? [{ value: 'not-now', label: say.notNow }] : []),
  ];
  for (;;) {
    const choice = await questions.choose(say.whichModel, choices);
    if (choice === 'not-now') return choice;
    const draft = await draftOf(choice, found, parts, questions);
    if (draft === undefined) continue;
    if (choice === 'keep' || choice === 'practice') return { draft, trial: undefined };
    const trial = await triedUntilGood(draft, parts, questions);
    if (trial !== undefined) return { draft, trial };
  }
}

/** The model that the config has now, or undefined if it is one that was only found. */
function presentModel({ loaded }: SetupParts): string | undefined {
  const { defaultName, models, why } = resolveModels(loaded.config, loaded.environment);
  if (why.because === 'none' || why.because === 'variable') return undefined;
  const model = models.get(defaultName);
  return model === undefined || model.provider === 'offline' ? defaultName : `${defaultName} (${model.name})`;
}

/** Undefined: the person has typed nothing, or nothing that can be used, which was said. */
async function draftOf(
  choice: string,
  found: readonly FoundModel[],
  parts: SetupParts,
  questions: Questions,
): Promise<Draft | undefined> {
  switch (choice) {
    case 'keep':
      return emptyDraft;
    case 'practice':
      return practiceDraft;
    case 'key':
      return keyDraft(parts, questions);
    case 'server':
      return serverDraft(parts, questions);
    default: {
      const chosen = found[Number(choice.replace('found ', ''))];
      return chosen && modelDraft(chosen, parts.ground);
    }
  }
}

export const practiceDraft: Draft = { edits: [{ path: ['model'], value: 'offline' }], variables: new Map() };

/** Sets a model, under a name of its own, and makes it the one that answers. */
export function modelDraft({ key, settings }: Pick<FoundModel, 'key' | 'settings'>, ground: Ground): Draft {
  const { models } = writtenConfig(ground);
  const present = isJsonObject(models) ? models : {};
  const name = freeName(key, settings, present);
  return {
    edits: [
      ...(present[name] === undefined ? [{ path: ['models', name], value: settings }] : []),
      { path: ['model'], value: name },
    ],
    variables: new Map(),
  };
}

/** A name that is not taken by another model. */
function freeName(key: string, settings: JsonObject, present: JsonObject, count = 1): string {
  const name = count === 1 ? key : `${key}-${count}`;
  const other = present[name];
  if (other === undefined) return name;
  const isSame = isJsonObject(other) && Object.entries(settings).every(([field, value]) => other[field] === value);
  return isSame ? name : freeName(key, settings, present, count + 1);
}

async function keyDraft(parts: SetupParts, questions: Questions): Promise<Draft | undefined> {
  const { ground, language } = parts;
  const say = setupWords[language];
  const key = await questions.secret(say.pasteKey);
  if (key === '') return undefined;
  const known = makerOf(key);
  const usual = keyMakers.filter(({ baseUrl }) => baseUrl === undefined);
  const asked = async (): Promise<string> =>
    questions.choose(
      say.whoseKey,
      usual.map((each) => ({ value: each.provider, label: each.title })),
    );
  const provider = known?.provider ?? (await asked());
  const chosen = known ?? usual.find((each) => each.provider === provider);
  if (chosen?.baseUrl !== undefined)
    return keyedServerDraft({ ...chosen, address: chosen.baseUrl, key }, parts, questions);
  const name = providerDefaults.find((each) => each.provider === provider)?.name;
  if (chosen === undefined || name === undefined) return undefined;
  const variable = secretPlace(ground, chosen.variable, key);
  const settings = { provider, name, api_key: `\${${variable}}` };
  const set = { edits: [], variables: new Map([[variable, key]]) };
  return joined(modelDraft({ key: provider, settings }, ground), set);
}

interface KeyedServer {
  readonly title: string;
  readonly address: string;
  readonly key: string;
  readonly variable: string;
}

/** Of a server that takes this key. Undefined if it lists no model for it, which the person is told. */
async function keyedServerDraft(
  { title, address, key, variable: usual }: KeyedServer,
  { ground, language, fetch: send }: SetupParts,
  questions: Questions,
): Promise<Draft | undefined> {
  const say = setupWords[language];
  const headers = { authorization: `Bearer ${key}` };
  const names = await questions.during(say.asking({ what: address }), () => servedModels(address, headers, send));
  const name = await chosenName(names, address, { language, questions });
  if (name === undefined) return undefined;
  const variable = secretPlace(ground, usual, key);
  const model = servedModel(name, title, address);
  const settings = { ...model.settings, api_key: `\${${variable}}` };
  const set = { edits: [], variables: new Map([[variable, key]]) };
  return joined(modelDraft({ ...model, settings }, ground), set);
}

interface Asking {
  readonly language: Language;
  readonly questions: Questions;
}

/** Of what a server has said of its models. Undefined if there is none, which the person is told. */
async function chosenName(
  names: ServedModels,
  address: string,
  { language, questions }: Asking,
): Promise<string | undefined> {
  const say = setupWords[language];
  if (typeof names === 'function' || 'status' in names) {
    const why = typeof names === 'function' ? names(language) : String(names.status);
    questions.bad(say.serverFails({ address, why }));
    return undefined;
  }
  const [only = ''] = names;
  if (only === '') {
    questions.bad(say.serverEmpty({ address }));
    return undefined;
  }
  const choices = names.map((name) => ({ value: name, label: name }));
  return names.length === 1 ? only : questions.choose(say.whichOfServer, choices);
}

async function serverDraft(parts: SetupParts, questions: Questions): Promise<Draft | undefined> {
  const { ground, language, fetch: send } = parts;
  const say = setupWords[language];
  const address = serverAddress(await questions.text(say.whichServer, 'http://192.168.1.20:11434/v1'));
  if (address === undefined) return undefined;
  const open = await questions.during(say.asking({ what: address }), () => servedModels(address, {}, send));
  const isRefused = 'status' in open && (open.status === 401 || open.status === 403);
  const key = isRefused ? await questions.secret(say.serverKey({ address })) : '';
  if (key !== '')
    return keyedServerDraft({ title: 'local', address, key, variable: 'MODEL_API_KEY' }, parts, questions);
  const name = await chosenName(open, address, { language, questions });
  return name === undefined ? undefined : modelDraft(servedModel(name, 'local', address), ground);
}

/** With a scheme, and with the version that nearly all servers have. Undefined if it is empty or no address. */
export function serverAddress(typed: string): string | undefined {
  if (typed === '') return undefined;
  const url = URL.parse(/^https?:\/\//i.test(typed) ? typed : `http://${typed}`);
  if (url === null || url.hostname === '') return undefined;
  const address = `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  return url.pathname === '/' ? `${address}/v1` : address;
}

/** Undefined: the person wants another one. */
async function triedUntilGood(draft: Draft, parts: SetupParts, questions: Questions): Promise<ModelTrial | undefined> {
  const { language } = parts;
  const say = setupWords[language];
  for (;;) {
    const trial = await questions.during(say.tryingModel, () => tryDraft(draft, parts));
    if (trial.ok) {
      if (trial.callsTools === true) questions.good(trialText(trial, language));
      else questions.bad(trialText(trial, language));
      return trial;
    }
    questions.bad(trialText(trial, language));
    const next = await questions.choose(say.modelFailed, [
      { value: 'other', label: say.otherModel },
      { value: 'again', label: say.tryAgain },
      { value: 'keep', label: say.takeAnyhow },
    ]);
    if (next === 'keep') return trial;
    if (next === 'other') return undefined;
  }
}

/** One small call of the model that would be set. Throws `ConfigError`. */
export async function tryDraft(draft: Draft, parts: SetupParts): Promise<ModelTrial> {
  const loaded = await loadDraft(parts.ground, draft);
  const { defaultName } = resolveModels(loaded.config, loaded.environment);
  return tryModelOf(loaded, defaultName, parts.language);
}
