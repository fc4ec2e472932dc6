/*
 * Buttons that ask for a text. Telegram has no forms: a press is answered with a question that opens the reply box for the
 * person, and their reply is the text. What is asked for stands in the question itself, as an address that is signed with
 * the bot's token, so that it outlives the process and nobody else can write one: what a model writes is no question.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { MessageEntity } from 'grammy/types';
import type { Conversation, InboundAction, InboundMessage, Sender } from '../../src/contract.ts';
import type { Language } from '../../src/lib/words.ts';
import { telegramWords } from './words.ts';

const prefix = 'ask:';
/** Telegram's limit of a button's data, in bytes. */
const longestData = 64;

/** The data of a button that asks for a text before this action; undefined if that would be too long. */
export function askingFor(actionId: string): string | undefined {
  const data = `${prefix}${actionId}`;
  return Buffer.byteLength(data) > longestData ? undefined : data;
}

/** The action that a button asks a text for; undefined if it asks for none. */
export function askedFor(data: string): string | undefined {
  return data.startsWith(prefix) ? data.slice(prefix.length) : undefined;
}

/** A press of a button that asks for a text. */
export interface Asked {
  readonly event: InboundAction;
  /** Of the person: a name that can be mentioned, if they have one. */
  readonly username: string;
}

/** The question to the person who pressed. In a group it mentions them: the reply box opens for them alone. */
export interface Question {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  readonly to: Conversation;
  /** The message with the button. */
  readonly about: string | undefined;
  readonly placeholder: string;
}

/** What is asked for. All of it is signed. */
interface Matter {
  readonly chatId: string;
  readonly actionId: string;
  readonly about: string;
  readonly principal: string;
}

/** Writes questions, and reads what answers them. `secret`: the bot's token. */
export function questionFor({ event, username }: Asked, secret: string, language: Language): Question {
  const { conversation, sender, actionId, messageRef } = event;
  const { whyNot, whyNotOf, reasonHint } = telegramWords[language];
  const matter = { chatId: conversation.chatId, actionId, about: messageRef?.id ?? '', principal: sender.id };
  const link = { type: 'text_link', offset: 0, length: mark.length, url: addressOf(matter, secret) } as const;
  const question = { to: conversation, about: messageRef?.id, placeholder: reasonHint };
  if (conversation.kind === 'direct') return { ...question, text: `${mark} ${whyNot}`, entities: [link] };
  const name = username === '' ? sender.name : `@${username}`;
  const text = `${mark} ${name} ${whyNotOf}`;
  const offset = mark.length + 1;
  const mention = { type: 'text_mention', offset, length: name.length, user: userOf(sender) } as const;
  return { ...question, text, entities: username === '' ? [link, mention] : [link] };
}

/** The sign that carries the address. */
const mark = '✏️';

function userOf({ id, name }: Sender) {
  return { id: Number(id), is_bot: false, first_name: name };
}

/** The press that a reply completes, with its text. Undefined if it answers no question of ours to this person. */
export function answeredBy(
  { key, conversation, sender, text }: InboundMessage,
  address: string,
  secret: string,
): InboundAction | undefined {
  if (!URL.canParse(address)) return undefined;
  const { searchParams } = new URL(address);
  const [actionId, about, signature] = ['a', 'm', 's'].map((name) => searchParams.get(name));
  if (!actionId || about === null || about === undefined || !signature) return undefined;
  const matter = { chatId: conversation.chatId, actionId, about, principal: sender.id };
  if (!sender.isPerson || !isSame(signature, signatureOf(matter, secret))) return undefined;
  const messageRef = about === '' ? undefined : { id: about };
  return { type: 'action', key: `${key}:a`, conversation, sender, actionId, messageRef, text };
}

/** Leads to nothing. */
function addressOf(matter: Matter, secret: string): string {
  const fields = new URLSearchParams({ a: matter.actionId, m: matter.about, s: signatureOf(matter, secret) });
  return `https://t.me/?${fields}`;
}

function signatureOf({ chatId, actionId, about, principal }: Matter, secret: string): string {
  const signed = JSON.stringify(['ask', chatId, actionId, about, principal]);
  return createHmac('sha256', secret).update(signed).digest('base64url').slice(0, 32);
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
