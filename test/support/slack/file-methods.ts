import { z } from 'zod';
import type { JsonObject } from '../../../src/lib/json.ts';
import { checkBlocks } from './blocks.ts';
import type { Files } from './files.ts';
import { checkThread, type MessageMethods } from './message-methods.ts';
import { objectList, read, structure, threadTimestamp, whole } from './parameters.ts';
import { Refusal } from './refusal.ts';
import type { Rooms } from './rooms.ts';
import { selfOf } from './self.ts';
import type { Installation } from './workspace-options.ts';

interface Dependencies {
  readonly installation: Installation;
  readonly rooms: Rooms;
  readonly files: Files;
  readonly messages: MessageMethods;
}

type Params = Readonly<Record<string, unknown>>;

/** With more of them, Slack was seen to break. */
const mostFiles = 14;
const urlParameters = z.strictObject({
  ...{ filename: z.string().min(1), length: whole, alt_text: z.string().max(1000).optional() },
  snippet_type: z.string().optional(),
});
const completeParameters = z.strictObject({
  files: structure(
    z
      .array(z.strictObject({ id: z.string(), title: z.string().optional(), highlight_type: z.string().optional() }))
      .min(1),
  ),
  ...{
    channel_id: z.string().optional(),
    thread_ts: threadTimestamp.optional(),
    initial_comment: z.string().optional(),
  },
  blocks: objectList.optional(),
});
const infoParameters = z.strictObject({
  ...{ file: z.string(), cursor: z.string().optional(), limit: whole.optional() },
  ...{ count: whole.optional(), page: whole.optional() },
});

/** The methods that send files and tell of them. */
export class FileMethods {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  getUploadURLExternal(params: Params): JsonObject {
    const { filename, length } = read(urlParameters, params);
    if (length < 1) throw new Refusal('invalid_arguments');
    const { id, url } = this.#dependencies.files.reserve(filename, length);
    return { file_id: id, upload_url: url };
  }

  completeUploadExternal(params: Params): JsonObject {
    const given = read(completeParameters, params, { thread_ts: 'invalid_thread_ts' });
    const { installation, rooms, files, messages } = this.#dependencies;
    if (given.files.length > mostFiles) throw new Refusal('internal_error');
    const room = given.channel_id === undefined ? undefined : rooms.writable(given.channel_id);
    if (room !== undefined) checkThread(room, given.thread_ts);
    const blocks = given.initial_comment === undefined ? checkBlocks(given.blocks ?? [], 'message') : [];
    const done = given.files.map(({ id, title }) => files.complete(id, title, installation.botUserId));
    if (room !== undefined) {
      messages.post(room, {
        ...{
          author: selfOf(installation),
          text: given.initial_comment ?? '',
          blocks,
          files: done,
          subtype: 'file_share',
        },
        ...(given.thread_ts !== undefined && { threadTs: given.thread_ts }),
      });
    }
    return { files: done.map((file) => files.wire(file)) };
  }

  info(params: Params): JsonObject {
    const { file } = read(infoParameters, params, { file: 'file_not_found' });
    const { files } = this.#dependencies;
    return { file: files.wire(files.get(file)), comments: [], response_metadata: { next_cursor: '' } };
  }
}
