import type { JsonObject } from '../../../src/lib/json.ts';
import type { SlackApp } from './slack-app.ts';
import type { Workspace } from './workspace.ts';

type Params = Readonly<Record<string, unknown>>;

/** A method of the Web API: what it asks for, and what it does. */
export type Method =
  | {
      readonly token: 'bot';
      /** Any one of them is enough. */
      readonly scopes: readonly string[];
      readonly execute: (workspace: Workspace, params: Params) => JsonObject;
    }
  | { readonly token: 'app'; readonly execute: (app: SlackApp, params: Params) => JsonObject };

type Execute = (workspace: Workspace, params: Params) => JsonObject;

/** The methods there are. `socketUrl` is where a Socket Mode connection is opened. */
export function methodTable(socketUrl: () => string): ReadonlyMap<string, Method> {
  const bot = (scope: string, execute: Execute): Method => ({
    token: 'bot',
    scopes: scope === '' ? [] : scope.split('|'),
    execute,
  });
  const reading = (kind: string): string =>
    ['channels', 'groups', 'im', 'mpim'].map((room) => `${room}:${kind}`).join('|');
  const connect = (app: SlackApp): JsonObject => ({
    url: `${socketUrl()}?ticket=${app.sockets.ticket()}&app_id=${app.appId}`,
  });
  return new Map<string, Method>([
    ['auth.test', bot('', ({ bot: methods }, params) => methods.authTest(params))],
    ['apps.connections.open', { token: 'app', execute: connect }],
    ['chat.postMessage', bot('chat:write', ({ messages }, params) => messages.postMessage(params))],
    ['chat.update', bot('chat:write', ({ messages }, params) => messages.update(params))],
    ['chat.delete', bot('chat:write', ({ messages }, params) => messages.delete(params))],
    ['chat.postEphemeral', bot('chat:write', ({ messages }, params) => messages.postEphemeral(params))],
    ['chat.startStream', bot('chat:write', ({ streams }, params) => streams.startStream(params))],
    ['chat.appendStream', bot('chat:write', ({ streams }, params) => streams.appendStream(params))],
    ['chat.stopStream', bot('chat:write', ({ streams }, params) => streams.stopStream(params))],
    ['assistant.threads.setStatus', bot('assistant:write', ({ threads }, params) => threads.setStatus(params))],
    [
      'assistant.threads.setSuggestedPrompts',
      bot('assistant:write', ({ threads }, params) => threads.setSuggestedPrompts(params)),
    ],
    ['conversations.info', bot(reading('read'), ({ conversations }, params) => conversations.info(params))],
    ['conversations.history', bot(reading('history'), ({ conversations }, params) => conversations.history(params))],
    ['conversations.replies', bot(reading('history'), ({ conversations }, params) => conversations.replies(params))],
    ['users.conversations', bot(reading('read'), ({ conversations }, params) => conversations.ofBot(params))],
    ['users.info', bot('users:read', ({ bot: methods }, params) => methods.userInfo(params))],
    ['bots.info', bot('users:read', ({ bot: methods }, params) => methods.botInfo(params))],
    ['reactions.add', bot('reactions:write', ({ bot: methods }, params) => methods.addReaction(params))],
    ['reactions.remove', bot('reactions:write', ({ bot: methods }, params) => methods.removeReaction(params))],
    ['views.open', bot('', ({ modals }, params) => modals.open(params))],
    [
      'files.getUploadURLExternal',
      bot('files:write', ({ fileMethods }, params) => fileMethods.getUploadURLExternal(params)),
    ],
    [
      'files.completeUploadExternal',
      bot('files:write', ({ fileMethods }, params) => fileMethods.completeUploadExternal(params)),
    ],
    ['files.info', bot('files:read', ({ fileMethods }, params) => fileMethods.info(params))],
  ]);
}
