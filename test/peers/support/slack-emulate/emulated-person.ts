import { z } from 'zod';
import type { ShownButton } from '../../../../packages/fakes/src/slack/blocks.ts';
import { isJsonObject, type JsonObject } from '../../../../src/lib/json.ts';
import { patienceMs, waitUntil } from '../../../support/wait-for.ts';
import { type EmulatedFile, type EmulatedMessage, readMessages } from './emulated-message.ts';

/** A chat or a channel, or a thread in it. */
export interface Spot {
  readonly channel: string;
  readonly threadTs?: string;
}

type Condition = (message: EmulatedMessage) => boolean;

/** Asks emulate's Web API. Throws whatever is not answered with "ok". */
export type EmulatedApi = (token: string, method: string, args: JsonObject) => Promise<JsonObject>;

export function emulatedApi(root: string): EmulatedApi {
  return async (token, method, args) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${root}/api/${method}`, { method: 'POST', headers, body: JSON.stringify(args) });
    const answer: unknown = await response.json();
    if (isJsonObject(answer) && answer.ok === true) return answer;
    throw new Error(`emulate answers ${method} with ${response.status} ${JSON.stringify(answer)}`);
  };
}

interface PersonParts {
  readonly api: EmulatedApi;
  readonly token: string;
  readonly userId: string;
  /** The direct conversation with the bot. */
  readonly direct: string;
  readonly teamId: string;
  readonly appId: string;
  /** Resolves once the app has acknowledged it. */
  readonly tell: (payload: JsonObject) => Promise<void>;
}

export type EmulatedPerson = ReturnType<typeof emulatedPerson>;

const uploadShape = z.object({ upload_url: z.string(), file_id: z.string() });

/** Somebody in the workspace: all that is said goes through emulate's Web API with a token of the person's own. */
export function emulatedPerson({ api, token, userId, direct, teamId, appId, tell }: PersonParts) {
  const call = (method: string, args: JsonObject): Promise<JsonObject> => api(token, method, args);

  /** What is shown there, the oldest first. A thread begins with what it stands under. */
  const look = async ({ channel, threadTs }: Spot): Promise<readonly EmulatedMessage[]> => {
    const answer =
      threadTs === undefined
        ? await call('conversations.history', { channel, limit: 1000 })
        : await call('conversations.replies', { channel, ts: threadTs });
    return readMessages(answer);
  };

  return {
    userId,
    direct: { channel: direct },
    look,
    /** Answers with the message's timestamp, when the app was told of it. */
    async say({ channel, threadTs }: Spot, text: string): Promise<string> {
      const args = { channel, text, ...(threadTs !== undefined && { thread_ts: threadTs }) };
      return z.string().parse((await call('chat.postMessage', args)).ts);
    },

    async edit({ channel }: Spot, ts: string, text: string): Promise<void> {
      await call('chat.update', { channel, ts, text });
    },

    async sendFile({ channel }: Spot, name: string, bytes: Buffer<ArrayBuffer>, comment: string): Promise<void> {
      const answer = await call('files.getUploadURLExternal', { filename: name, length: bytes.length });
      const { upload_url: url, file_id: id } = uploadShape.parse(answer);
      const { status } = await fetch(url, { method: 'POST', body: bytes });
      if (status !== 200) throw new Error(`emulate answers an upload with ${status}.`);
      const share = { files: [{ id }], channel_id: channel, initial_comment: comment };
      await call('files.completeUploadExternal', share);
    },

    /** What the person gets who opens it. */
    async openFile(file: EmulatedFile | undefined): Promise<Buffer> {
      if (file === undefined) throw new Error('There is no file to open.');
      const response = await fetch(file.url, { headers: { authorization: `Bearer ${token}` } });
      if (response.status !== 200) throw new Error(`emulate answers a download with ${response.status}.`);
      return Buffer.from(await response.arrayBuffer());
    },

    /** Waits until such a text or such a message is shown there. The latest one, if there are several. */
    async sees(spot: Spot, wanted: string | Condition, timeoutMs = patienceMs): Promise<EmulatedMessage> {
      const fits: Condition = typeof wanted === 'string' ? ({ text }) => text === wanted : wanted;
      let shown: readonly EmulatedMessage[] = [];
      const find = async (): Promise<EmulatedMessage | undefined> => {
        shown = await look(spot);
        return shown.findLast(fits);
      };
      const what = typeof wanted === 'string' ? `"${wanted}"` : 'such a message';
      const describe = (): string => shown.map(({ text }) => JSON.stringify(text.slice(0, 300))).join('\n');
      return waitUntil(find, { what: `${what} in ${spot.channel}`, describe, timeoutMs });
    },

    /** Presses a button by what stands on it. emulate knows no presses: this is what Slack would tell the app. */
    async press({ channel, threadTs }: Spot, message: EmulatedMessage, label: string): Promise<void> {
      const button = message.buttons.find((candidate) => candidate.label === label);
      if (button === undefined) throw new Error(`There is no button "${label}" on the message ${message.ts}.`);
      const place = { channel_id: channel, ...(threadTs !== undefined && { thread_ts: threadTs }) };
      const { trigger_id = '' } = await api(token, 'views.generateTriggerId', {});
      await tell({
        type: 'block_actions',
        team: { id: teamId, domain: 'emulate' },
        user: { id: userId, username: 'somebody', name: 'somebody', team_id: teamId },
        ...{ api_app_id: appId, token: 'verification', trigger_id, enterprise: null, is_enterprise_install: false },
        container: { type: 'message', message_ts: message.ts, ...place, is_ephemeral: false },
        channel: { id: channel, name: 'somewhere' },
        message: message.wire,
        state: { values: {} },
        actions: [actionOf(button)],
      });
    },
  };
}

function actionOf({ actionId, label, value }: ShownButton): JsonObject {
  return {
    ...{ type: 'button', action_id: actionId, block_id: 'row', action_ts: (Date.now() / 1000).toFixed(6) },
    text: { type: 'plain_text', text: label, emoji: true },
    ...(value !== undefined && { value }),
  };
}
