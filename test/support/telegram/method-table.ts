import type { BotMethods } from './bot-methods.ts';
import type { Drafts } from './drafts.ts';
import type { MessageMethods } from './message-methods.ts';
import type { ApiRequest } from './request-body.ts';

/** Answers one request. The signal aborts when nobody waits for the answer any more. */
export type Method = (request: ApiRequest, closed: AbortSignal) => unknown;

export interface MethodGroups {
  readonly bot: BotMethods;
  readonly messages: MessageMethods;
  readonly drafts: Drafts;
}

/** The methods there are, by their names in lower case: the server does not mind the case. */
export function methodTable({ bot, messages, drafts }: MethodGroups): ReadonlyMap<string, Method> {
  const methods: Record<string, Method> = {
    getMe: () => bot.getMe(),
    getUpdates: (request, closed) => bot.getUpdates(request, closed),
    deleteWebhook: (request) => bot.deleteWebhook(request),
    getWebhookInfo: () => bot.getWebhookInfo(),
    answerCallbackQuery: (request) => bot.answerCallbackQuery(request),
    setMyCommands: (request) => bot.setMyCommands(request),
    getMyCommands: (request) => bot.getMyCommands(request),
    getFile: (request) => bot.getFile(request),
    sendMessage: (request) => messages.sendMessage(request),
    editMessageText: (request) => messages.editMessageText(request),
    editMessageReplyMarkup: (request) => messages.editMessageReplyMarkup(request),
    deleteMessage: (request) => messages.deleteMessage(request),
    sendChatAction: (request) => messages.sendChatAction(request),
    setMessageReaction: (request) => messages.setMessageReaction(request),
    sendDocument: (request) => messages.sendDocument(request),
    sendPhoto: (request) => messages.sendPhoto(request),
    sendMessageDraft: (request) => drafts.sendMessageDraft(request),
  };
  return new Map(Object.entries(methods).map(([name, method]) => [name.toLowerCase(), method]));
}
