import type { BotCommand, File, Update, UserFromGetMe, WebhookInfo } from 'grammy/types';
import { z } from 'zod';
import type { Callbacks } from './callbacks.ts';
import type { Files } from './files.ts';
import { integer, read, structure } from './parameters.ts';
import { badRequest } from './refusal.ts';
import type { ApiRequest } from './request-body.ts';
import type { UpdateQueue } from './update-queue.ts';

interface Dependencies {
  readonly bot: UserFromGetMe;
  readonly updates: UpdateQueue;
  readonly callbacks: Callbacks;
  readonly files: Files;
}

const longestHold = 50;
const mostCommands = 100;
const mostAnswer = 200;

const pollParameters = z.object({
  offset: integer.default(0),
  limit: integer.default(100),
  timeout: integer.default(0),
  allowed_updates: structure(z.array(z.string())).optional(),
});
const dropParameters = z.object({ drop_pending_updates: z.stringbool().or(z.boolean()).default(false) });
const answerParameters = z.object({
  callback_query_id: z.string(),
  text: z.string().default(''),
  show_alert: z.stringbool().or(z.boolean()).default(false),
});
const language = z.string().default('');
const languageParameters = z.object({ language_code: language });
const commandParameters = languageParameters.extend({
  commands: structure(z.array(z.object({ command: z.string(), description: z.string() }))),
});
const fileParameters = z.object({ file_id: z.string() });

/** The methods about the bot itself, and about what comes in. */
export class BotMethods {
  readonly #dependencies: Dependencies;
  /** By language; for everyone, by the empty name. */
  readonly #commands = new Map<string, readonly BotCommand[]>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  getMe(): UserFromGetMe {
    return this.#dependencies.bot;
  }

  getUpdates({ params }: ApiRequest, closed: AbortSignal): Promise<readonly Update[]> {
    const { offset, limit, timeout, allowed_updates: allowed } = read(pollParameters, params);
    const holdMs = Math.max(0, Math.min(timeout, longestHold)) * 1000;
    return this.#dependencies.updates.poll(
      { offset, limit: Math.max(1, Math.min(limit, 100)), holdMs, allowed },
      closed,
    );
  }

  deleteWebhook({ params }: ApiRequest): true {
    const { updates } = this.#dependencies;
    if (read(dropParameters, params).drop_pending_updates) updates.clear();
    updates.webhookUrl = '';
    return true;
  }

  getWebhookInfo(): WebhookInfo {
    const { webhookUrl, pendingCount } = this.#dependencies.updates;
    return { url: webhookUrl, has_custom_certificate: false, pending_update_count: pendingCount };
  }

  answerCallbackQuery({ params }: ApiRequest): true {
    const { callback_query_id: id, text, show_alert: showAlert } = read(answerParameters, params);
    if (text.length > mostAnswer) throw badRequest('MESSAGE_TOO_LONG');
    this.#dependencies.callbacks.answer(id, { text, showAlert });
    return true;
  }

  setMyCommands({ params }: ApiRequest): true {
    const { commands, language_code: code } = read(commandParameters, params);
    if (!/^(?:[a-z]{2})?$/.test(code)) throw badRequest('LANG_CODE_INVALID');
    if (commands.length > mostCommands) throw badRequest('BOT_COMMANDS_TOO_MUCH');
    for (const { command, description } of commands) {
      if (!/^[a-z0-9_]{1,32}$/.test(command)) throw badRequest('BOT_COMMAND_INVALID');
      if (description.length < 1 || description.length > 256) throw badRequest('BOT_COMMAND_DESCRIPTION_INVALID');
    }
    this.#commands.set(code, commands);
    return true;
  }

  getMyCommands({ params }: ApiRequest): readonly BotCommand[] {
    return this.#commands.get(read(languageParameters, params).language_code) ?? [];
  }

  getFile({ params }: ApiRequest): File {
    const { file_id: id } = read(fileParameters, params);
    const { files } = this.#dependencies;
    const file_path = files.pathOf(id);
    return { file_id: id, file_unique_id: `unique-${id}`, file_size: files.get(id).bytes.length, file_path };
  }
}
