import type { Config } from '../../config/schema.ts';
import { type Conversation, conversationId } from '../../contract.ts';
import type { ChatRules, HeldChat } from '../../engine/feature.ts';
import { inlineCode } from '../../lib/plain-text.ts';
import type { Models } from '../../models/open-models.ts';
import { workspaceFinder } from '../../tools/guard/workspace/workspace.ts';
import type { MovedChats } from './moved-chats.ts';

interface ChatSettingsParts {
  /** Edited while the process runs: it is read at each use. */
  readonly config: Pick<Config, 'chats' | 'agents'>;
  readonly formerChats: MovedChats['formerChats'];
}

/** What an agent may that the config no longer has: its limits are not known. */
const nothing = { only: [], mode: 'observer' } as const;

/**
 * Finds what the config's `chats` say of a conversation. The narrowest entry holds alone: that of the thread, of the chat, of
 * the workspace or server, of the channel. A chat that got another id is found under its former ones too. An agent that
 * is named there gives its prompt, tools, model, mode and folder; what the entry says itself comes first or is added.
 * If there is no such agent, no tool may be used.
 */
export function createChatSettings(parts: ChatSettingsParts): ChatRules {
  const context: ChatContext = { ...parts, finders: new Map() };
  return { of: (conversation) => chatOf(conversation, context) };
}

type WorkspaceFinder = NonNullable<HeldChat['workspaceOf']>;

interface ChatContext extends ChatSettingsParts {
  /** By template. */
  readonly finders: Map<string, WorkspaceFinder>;
}

function chatOf(conversation: Conversation, context: ChatContext): HeldChat | undefined {
  const { config, formerChats } = context;
  const { chats, agents } = config;
  const key = Object.keys(chats).length === 0 ? undefined : keyOf(conversation, chats, formerChats);
  const entry = key === undefined ? undefined : chats[key];
  if (key === undefined || entry === undefined) return undefined;
  const { prompt, model, agent: name } = entry;
  const agent = name !== undefined && Object.hasOwn(agents, name) ? agents[name] : undefined;
  return {
    key,
    prompt,
    model: model ?? agent?.model,
    agent: name === undefined ? undefined : { name, prompt: agent?.prompt ?? '', isGone: agent === undefined },
    ...(name !== undefined && agent === undefined ? nothing : { only: agent?.tools, mode: agent?.mode }),
    workspaceOf: agent?.workspace === undefined ? undefined : finderOf(agent.workspace, context),
  };
}

function finderOf(template: string, { finders }: ChatContext): WorkspaceFinder {
  const finder = finders.get(template) ?? workspaceFinder(template);
  finders.set(template, finder);
  return finder;
}

/** Which model answers in a conversation, and who says so: people by `/model`, or the config for the chat. Undefined: the default. */
export function modelIn(
  conversation: Conversation,
  chosen: string | undefined,
  { chats, models }: { readonly chats: ChatRules; readonly models: Pick<Models, 'names'> },
): ModelChoice | undefined {
  if (chosen !== undefined && models.names.includes(chosen)) return { name: chosen, by: 'people' };
  const name = chats.of(conversation)?.model;
  if (name !== undefined) return { name, by: 'chat' };
  return chosen === undefined ? undefined : { name: chosen, by: 'nobody' };
}

export interface ModelChoice {
  readonly name: string;
  /** `nobody`: chosen by people, but no longer in the config, so the default answers. */
  readonly by: 'people' | 'chat' | 'nobody';
}

/** Where the entry stands in the config, as markdown. */
export function chatKey({ key }: Pick<HeldChat, 'key'>): string {
  return inlineCode(`chats["${key}"]`);
}

function keyOf(
  conversation: Conversation,
  chats: Config['chats'],
  formerChats: MovedChats['formerChats'],
): string | undefined {
  const isKey = (name: string): boolean => Object.hasOwn(chats, name);
  const conversations = [conversation, ...formerChats(conversation).map((chatId) => ({ ...conversation, chatId }))];
  const inThread = conversation.threadId === undefined ? [] : conversations.flatMap(threadNames);
  return [...inThread, ...conversations.flatMap(chatNames), ...widerNames(conversation)].find(isKey);
}

/** As logs name it, and as people write it: `telegram:-1001/7`. */
function threadNames(conversation: Conversation): readonly string[] {
  return [
    conversationId(conversation),
    ...chatNames(conversation).map((name) => `${name}/${conversation.threadId ?? ''}`),
  ];
}

function chatNames({ channel, tenant, chatId }: Conversation): readonly string[] {
  return [...(tenant === undefined ? [] : [`${channel}:${tenant}/${chatId}`]), `${channel}:${chatId}`];
}

function widerNames({ channel, tenant }: Conversation): readonly string[] {
  return [...(tenant === undefined ? [] : [`${channel}:${tenant}`]), channel];
}
