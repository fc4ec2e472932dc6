import type { ChatRules, HeldChat } from '../../engine/feature.ts';
import type { RunState } from '../../engine/journal.ts';
import { firstWord, type Origin } from '../../engine/message.ts';
import { nearest } from '../../lib/nearest.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { Models } from '../../models/open-models.ts';
import type { Compactor, ContextFigures } from '../../runs/context/compactor.ts';
import { chatKey, type ModelChoice, modelIn } from '../access/chat-settings.ts';
import type { ConversationCore } from '../conversation-core.ts';
import type { CommandEffects } from '../effects.ts';
import type { InboxStore } from '../inbox.ts';
import { abilityWords } from './ability-words.ts';
import type { CommandGroup } from './given-command.ts';
import { placeOf } from './reports.ts';

interface ModelParts {
  readonly models: Models;
  readonly chats: ChatRules;
  readonly effects: Pick<CommandEffects, 'model'>;
}

/**
 * Shows and sets the model of a conversation. Everybody who may use commands there may choose any model in the config.
 */
export function modelCommand(inbox: Pick<InboxStore, 'modelOf'>, { models, chats, effects }: ModelParts): CommandGroup {
  return {
    takes: ({ name }) => name === 'model',
    help: { section: 'here', text: '`/model`, `/model NAME`: the model that answers here' },
    async obey({ argument, origin, answer, obey, withHint }) {
      const { word } = firstWord(argument);
      const chat = chats.of(origin.conversation);
      if (word === '') {
        const chosen = await inbox.modelOf(origin.conversationId);
        return answer(withHint(modelList(models, modelIn(origin.conversation, chosen, { chats, models }), chat)));
      }
      const name = models.names.find((known) => known === word) ?? named(word, models.names);
      if (name === undefined && word.toLowerCase() !== theDefault) return answer(unknownWords(word, models.names));
      const words = withHint(`From now on ${escapeMarkdown(models.of(name ?? chat?.model).label)} answers here.`);
      await obey(effects.model(name), () => words);
    },
  };
}

function modelList(models: Models, choice: ModelChoice | undefined, chat: HeldChat | undefined): string {
  const here = choice !== undefined && models.names.includes(choice.name) ? choice.name : models.defaultName;
  const lines = models.names.map((name) => {
    const used = choice?.by === 'people' ? '**used here**, chosen by `/model`' : '**used here**';
    const marks = [
      ...(name === here ? [used] : []),
      ...(name === chat?.model ? [`set for this chat by ${chatKey(chat)}`] : []),
      ...(name === models.defaultName ? ['default'] : []),
    ];
    const mark = marks.length === 0 ? '' : `: ${marks.join(', ')}`;
    const model = models.of(name);
    const known = abilityWords(model);
    return `- ${escapeMarkdown(model.label)}${mark}${known === '' ? '' : `\n  - ${escapeMarkdown(known)}`}`;
  });
  const goesBack = chat?.model === undefined ? 'the default' : 'the one of this chat';
  const advice =
    lines.length === 1
      ? 'The config has no other.'
      : `Choose one with \`/model NAME\`; \`/model default\` goes back to ${goesBack}.`;
  return ['Models:', ...lines, '', advice].join('\n');
}

/** Selects the default, unless a model has this name. */
const theDefault = 'default';

/** The only model with this name, ignoring case. */
function named(word: string, names: readonly string[]): string | undefined {
  const found = names.filter((name) => name.toLowerCase() === word.toLowerCase());
  return found.length === 1 ? found[0] : undefined;
}

function unknownWords(word: string, names: readonly string[]): string {
  const guess = nearest(word, names);
  const hint =
    guess === undefined ? `There are: ${names.map(inlineCode).join(', ')}.` : `Do you mean ${inlineCode(guess)}?`;
  return `There is no model ${inlineCode(oneLine(word, 60))}. ${hint}`;
}

interface ContextParts extends ConversationCore {
  readonly effects: Pick<CommandEffects, 'compact'>;
  readonly loadRun: (conversationId: string) => Promise<RunState>;
  /** Whether anything was ever said there. */
  readonly isKnown: (conversationId: string) => Promise<boolean>;
  readonly compactor: Pick<Compactor, 'figures'>;
}

/** Shows what fills the model's window, and summarises the oldest part of the conversation on request. */
export function contextCommands({
  effects,
  loadRun,
  isKnown,
  compactor,
  chats,
  workspaceOf,
  wake,
}: ContextParts): CommandGroup {
  const report = async (origin: Origin): Promise<string> => {
    const state = await loadRun(origin.conversationId);
    const figures = await compactor.figures(state, placeOf(origin, workspaceOf));
    return contextReport(figures, chats.of(origin.conversation));
  };
  return {
    takes: ({ name }) => name === 'context' || name === 'compact',
    help: { section: 'here', text: "`/context`, `/compact`: what fills the model's window, and how to make room" },
    async obey({ name, origin, answer, obey, withHint }) {
      if (!(await isKnown(origin.conversationId))) return answer(withHint('Nothing was said here yet.'));
      if (name === 'context') return answer(withHint(await report(origin)));
      const words = withHint('🗜️ I summarise what was said here until now. I will tell you when it is done.');
      await obey(effects.compact, () => words);
      wake([origin.conversationId]);
    },
  };
}

function contextReport(figures: ContextFigures, chat: HeldChat | undefined): string {
  const { model, limit, system, pinned, tools, offer, isShort, summary, messages } = figures;
  const instructions = isShort ? 'Instructions, in short' : 'Instructions';
  const used = system + pinned.size + tools + summary + messages;
  const line = (what: string, tokens: number): string => `- ${what}: ${rounded(tokens)}`;
  return [
    `**Context**: about ${rounded(used)} of ${rounded(limit)} tokens (${Math.round((used / limit) * 100)} %) for ${escapeMarkdown(model)}.${tooNarrow(figures)}`,
    [
      line(chat === undefined ? instructions : `${instructions}, with those of ${chatKey(chat)}`, system),
      ...(pinned.size + pinned.leftOut === 0 ? [] : [line(pinnedName(pinned.leftOut), pinned.size)]),
      line(toolsName(offer), tools),
      ...(summary === 0 ? [] : [line('Summary of the oldest part', summary)]),
      line('Messages and results', messages),
    ].join('\n'),
    ...offerWords(offer),
    'What no longer fits is shortened, then summarised. `/compact` does it now; `/new` starts over.',
  ].join('\n\n');
}

/** Where no message fits, however short. */
function tooNarrow({ limit, system, pinned, tools }: ContextFigures): string {
  if (system + pinned.size + tools < limit) return '';
  const what = system >= limit ? 'The instructions alone do' : 'The instructions and tools alone do';
  return ` ⚠️ ${what} not fit into that. Give the model a larger window in its server (\`num_ctx\`, \`-c\`, context length), and raise \`agent.context_tokens\` if that is smaller.`;
}

type Offer = ContextFigures['offer'];

function toolsName({ form, count, declared }: Offer): string {
  switch (form) {
    case 'whole':
      return 'Tools';
    case 'short':
      return 'Tools, told in short';
    case 'few':
      // `find_tools` is not counted.
      return `Tools, ${declared - 1} of ${count} told in short`;
  }
}

/** Why the model is not told all of each tool, and how it learns the rest. */
function offerWords({ form, wholeSize, canFind }: Offer): readonly string[] {
  if (form === 'whole') return [];
  const rest = canFind ? ' The model looks up the rest with `find_tools`.' : '';
  return [
    `All tools in full would be about ${rounded(wholeSize)} tokens.${rest} The setting \`tools.compact\` decides it.`,
  ];
}

function pinnedName(leftOut: number): string {
  return leftOut === 0 ? 'Pinned facts' : `Pinned facts, without the oldest ${leftOut}, for which there is no room`;
}

function rounded(tokens: number): string {
  return String(Math.round(tokens));
}
