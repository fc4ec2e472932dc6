import { createHash } from 'node:crypto';
import type { ChatRules, HeldChat } from '../../../engine/feature.ts';
import type { RunState } from '../../../engine/journal.ts';
import { firstWord } from '../../../engine/message.ts';
import { nearest } from '../../../lib/nearest.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../../lib/plain-text.ts';
import type { Language } from '../../../lib/words.ts';
import type { Models } from '../../../models/open-models.ts';
import type { Compactor, ContextFigures } from '../../../runs/context/compactor.ts';
import { actingButton, type ListAnswer } from '../../../words/command-buttons.ts';
import { chatKey, type ModelChoice, modelIn } from '../../access/chat-settings.ts';
import type { ConversationCore } from '../../conversation-core.ts';
import type { CommandEffects } from '../../effects.ts';
import type { InboxStore } from '../../inbox.ts';
import type { GivenCommand } from '../given-command.ts';
import { pageNumber, pageOf, rowsOfPage } from '../pages.ts';
import { scopeOf } from '../reports/reports.ts';
import { abilityWords } from './ability-words.ts';
import { modelWords } from './words.ts';

interface ModelParts {
  readonly models: Models;
  readonly chats: ChatRules;
  readonly inbox: Pick<InboxStore, 'modelOf'>;
  readonly effects: Pick<CommandEffects, 'model'>;
}

/**
 * `/model`: shows and sets the model of a conversation. Everybody who may use commands there may choose any model in the
 * config.
 */
export async function chooseModel(given: GivenCommand, parts: ModelParts): Promise<void> {
  const { argument, origin, answer, list, obey, withHint, reader } = given;
  const { models, chats, inbox, effects } = parts;
  const { word, rest } = firstWord(argument);
  const chat = chats.of(origin.conversation);
  if (word === '' || word === pageWord) {
    const choice = modelIn(origin.conversation, await inbox.modelOf(origin.conversationId), { chats, models });
    const chosen = modelList({ models, choice, chat, page: pageNumber(rest) }, reader.language);
    return list({ ...chosen, markdown: withHint(chosen.markdown) });
  }
  const name = modelNamed(word, models.names);
  if (name === undefined && word.toLowerCase() !== theDefault)
    return answer(unknownWords(word, models.names, reader.language));
  const model = escapeMarkdown(models.of(name ?? chat?.model).label);
  await obey(effects.model(name), () => withHint(modelWords[reader.language].answersHere({ model })));
}

interface ModelList {
  readonly models: Models;
  readonly choice: ModelChoice | undefined;
  readonly chat: HeldChat | undefined;
  readonly page: number | undefined;
}

/** `/model page 2` */
const pageWord = 'page';
const modelsOfPage = 8;

function modelList({ models, choice, chat, page: wanted }: ModelList, language: Language): ListAnswer {
  const words = modelWords[language];
  const here = choice !== undefined && models.names.includes(choice.name) ? choice.name : models.defaultName;
  const page = pageOf(models.names, wanted, modelsOfPage);
  const lines = page.entries.map(([, name]) => {
    const used = choice?.by === 'people' ? words.chosenHere : words.usedHere;
    const marks = [
      ...(name === here ? [used] : []),
      ...(chat !== undefined && name === chat.model ? [words.setForChat({ key: chatKey(chat) })] : []),
      ...(name === models.defaultName ? [words.default] : []),
    ];
    const model = models.of(name);
    const known = abilityWords(model, language);
    const line = words.modelLine({ model: escapeMarkdown(model.label), marks });
    return known === '' ? line : `${line}\n  - ${escapeMarkdown(known)}`;
  });
  const buttons = page.entries.map(([, name]) =>
    actingButton(words.buttonModel({ name, isUsed: name === here }), `model ${wordFor(name)}`),
  );
  const back = choice?.by === 'people' ? [actingButton(words.buttonDefault, `model ${theDefault}`)] : [];
  return {
    markdown: words.list({ models: lines, isOnly: models.names.length === 1 }),
    again: page.page === 1 ? 'model' : `model ${pageWord} ${page.page}`,
    rows:
      models.names.length === 1 ? [] : rowsOfPage(buttons, { ...page, command: `model ${pageWord}` }, language, back),
  };
}

/** The model that somebody names by its name, or by what stands for it in a button. */
function modelNamed(word: string, names: readonly string[]): string | undefined {
  return names.find((known) => known === word) ?? named(word, names) ?? names.find((name) => wordFor(name) === word);
}

/** What stands for the model in a command: its name, or a sign of a name that is too long for a button. */
function wordFor(name: string): string {
  const isShort = Buffer.byteLength(name) <= longestName && /^[^\s>]+$/.test(name);
  return isShort ? name : `~${createHash('sha256').update(name).digest('hex').slice(0, 10)}`;
}

/** In bytes. */
const longestName = 30;

/** Selects the default, unless a model has this name. */
const theDefault = 'default';

/** The only model with this name, ignoring case. */
function named(word: string, names: readonly string[]): string | undefined {
  const found = names.filter((name) => name.toLowerCase() === word.toLowerCase());
  return found.length === 1 ? found[0] : undefined;
}

function unknownWords(word: string, names: readonly string[], language: Language): string {
  const guess = nearest(word, names);
  return modelWords[language].noSuchModel({
    name: inlineCode(oneLine(word, 60)),
    names: names.map(inlineCode),
    meant: guess && inlineCode(guess),
  });
}

interface ContextParts extends Pick<ConversationCore, 'chats' | 'workspaceOf' | 'wake'> {
  readonly effects: Pick<CommandEffects, 'compact'>;
  readonly loadRun: (conversationId: string) => Promise<RunState>;
  /** Whether anything was ever said there. */
  readonly isKnown: (conversationId: string) => Promise<boolean>;
  readonly compactor: Pick<Compactor, 'figures'>;
}

/** `/context`: shows what fills the model's window. */
export async function showContext({ origin, answer, withHint, reader }: GivenCommand, parts: ContextParts) {
  if (!(await parts.isKnown(origin.conversationId))) return answer(withHint(modelWords[reader.language].nothingSaid));
  const state = await parts.loadRun(origin.conversationId);
  const figures = await parts.compactor.figures(state, scopeOf(origin, parts.workspaceOf));
  return answer(withHint(contextReport(figures, parts.chats.of(origin.conversation), reader.language)));
}

/** `/compact`: summarises the oldest part of the conversation. */
export async function compact({ origin, answer, obey, withHint, reader }: GivenCommand, parts: ContextParts) {
  const words = modelWords[reader.language];
  if (!(await parts.isKnown(origin.conversationId))) return answer(withHint(words.nothingSaid));
  await obey(parts.effects.compact, () => withHint(words.summarising));
  parts.wake([origin.conversationId]);
}

function contextReport(figures: ContextFigures, chat: HeldChat | undefined, language: Language): string {
  const words = modelWords[language];
  const { model, limit, system, pinned, tools, offer, isShort, summary, messages } = figures;
  const used = system + pinned.size + tools + summary + messages;
  const line = (what: string, tokens: number): string => words.contextLine({ what, tokens: Math.round(tokens) });
  const percent = Math.round((used / limit) * 100);
  const head = words.used({
    used: Math.round(used),
    limit: Math.round(limit),
    percent,
    model: escapeMarkdown(model),
  });
  return [
    [head, ...tooNarrow(figures, language)].join(' '),
    [
      line(words.instructions({ isShort, chat: chat && chatKey(chat) }), system),
      ...(pinned.size + pinned.leftOut === 0 ? [] : [line(words.pinnedFacts(pinned), pinned.size)]),
      line(toolsName(offer, language), tools),
      ...(summary === 0 ? [] : [line(words.summary, summary)]),
      line(words.messages, messages),
    ].join('\n'),
    // Why the model is not told all of each tool, and how it learns the rest.
    ...(offer.form === 'whole' ? [] : [words.toolsCompact({ ...offer, wholeSize: Math.round(offer.wholeSize) })]),
    words.roomWords,
  ].join('\n\n');
}

/** Where no message fits, however short. */
function tooNarrow({ limit, system, pinned, tools }: ContextFigures, language: Language): readonly string[] {
  if (system + pinned.size + tools < limit) return [];
  return [modelWords[language].tooNarrow({ isAlone: system >= limit })];
}

function toolsName({ form, count, declared }: ContextFigures['offer'], language: Language): string {
  const words = modelWords[language];
  switch (form) {
    case 'whole':
      return words.toolsWhole;
    case 'short':
      return words.toolsShort;
    case 'few':
      // `find_tools` is not counted.
      return words.toolsFew({ told: declared - 1, count });
  }
}
