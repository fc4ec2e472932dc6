import { z } from 'zod';
import { legacyComponentsForm, v2ComponentsForm } from './components.ts';
import { embedsForm } from './embeds.ts';
import { ownMistake, readForm } from './form.ts';
import { type AllowedMentions, allowedMentionsForm } from './mentions.ts';
import { messageFlags, type StoredMessage } from './messages.ts';
import { invalidForm, Refusal } from './refusal.ts';
import type { RequestBody, Upload } from './request-body.ts';

/** A file that comes with a message. */
export interface GivenFile extends Upload {
  readonly description?: string;
}

/** What the bot wants to show. */
export interface MessageBody {
  readonly content: string;
  readonly embeds: readonly unknown[];
  readonly components: readonly unknown[];
  readonly flags: number;
  readonly files: readonly GivenFile[];
  readonly allowed: AllowedMentions | undefined;
}

export interface NewMessageBody extends MessageBody {
  readonly nonce: string | number | undefined;
  readonly isNonceEnforced: boolean;
  readonly reference: { readonly messageId: string; readonly mustExist: boolean } | undefined;
}

export interface ChangedMessageBody extends MessageBody {
  /** The ids of the files that stay; undefined if all do. */
  readonly kept: readonly string[] | undefined;
}

const mostFiles = 10;
const settable =
  messageFlags.suppressEmbeds | messageFlags.ephemeral | messageFlags.suppressNotifications | messageFlags.componentsV2;

const sharedForm = z.object({
  content: z.string().max(2000).nullish(),
  embeds: embedsForm.nullish(),
  components: z.array(z.unknown()).nullish(),
  flags: z.number().int().nonnegative().nullish(),
  allowed_mentions: allowedMentionsForm.nullish(),
  attachments: z
    .array(
      z.looseObject({
        id: z.union([z.string(), z.number()]),
        filename: z.string().nullish(),
        description: z.string().max(1024).nullish(),
      }),
    )
    .max(mostFiles)
    .nullish(),
});
const newMessageForm = sharedForm.extend({
  nonce: z.union([z.string().max(25), z.number().int()]).nullish(),
  enforce_nonce: z.boolean().nullish(),
  message_reference: z.looseObject({ message_id: z.string(), fail_if_not_exists: z.boolean().default(true) }).nullish(),
});

/** Reads a new message. Throws the refusal that Discord would give. */
export function readNewMessage({ json, uploads }: RequestBody): NewMessageBody {
  const form = readForm(newMessageForm, json ?? {});
  const body = bodyOf(form, { content: '', embeds: [], components: [], flags: 0 }, uploads);
  const { message_reference: reference, nonce, enforce_nonce: enforced } = form;
  checkFilled(body, 0);
  return {
    ...body,
    nonce: nonce ?? undefined,
    isNonceEnforced: enforced === true,
    reference: reference ? { messageId: reference.message_id, mustExist: reference.fail_if_not_exists } : undefined,
  };
}

/** Reads a change: what it does not name stays. Throws the refusal that Discord would give. */
export function readChange({ json, uploads }: RequestBody, before: StoredMessage): ChangedMessageBody {
  const form = readForm(sharedForm, json ?? {});
  const lasting = before.flags & ~messageFlags.suppressEmbeds;
  const flags = form.flags === undefined || form.flags === null ? before.flags : lasting | form.flags;
  const body = bodyOf({ ...form, flags }, before, uploads);
  const kept = form.attachments?.map(({ id }) => String(id));
  const left = before.files.filter(({ id }) => kept?.includes(id) ?? true);
  checkFilled(body, left.length);
  return { ...body, kept };
}

type Before = Pick<StoredMessage, 'content' | 'embeds' | 'components' | 'flags'>;

function bodyOf(form: z.output<typeof sharedForm>, before: Before, uploads: RequestBody['uploads']): MessageBody {
  const flags = (form.flags ?? before.flags) & (settable | before.flags);
  // Null takes away; what is not named stays.
  const content = form.content === undefined ? before.content : (form.content ?? '').trim();
  const embeds = form.embeds === undefined ? before.embeds : (form.embeds ?? []);
  const given = form.components === undefined ? before.components : (form.components ?? []);
  const components = readComponents(given, flags);
  checkKinds({ content, embeds, components, flags });
  return {
    content,
    embeds,
    components,
    flags,
    files: readFiles(form, uploads),
    allowed: form.allowed_mentions ?? undefined,
  };
}

function readComponents(components: readonly unknown[], flags: number): readonly unknown[] {
  if (components.length === 0) return [];
  const isV2 = (flags & messageFlags.componentsV2) !== 0;
  const form = z.object({ components: isV2 ? v2ComponentsForm : legacyComponentsForm });
  readForm(form, { components });
  return components;
}

/** The two kinds of messages do not mix. */
function checkKinds({ content, embeds, flags }: Before): void {
  if ((flags & messageFlags.componentsV2) === 0) return;
  const message = 'The legacy field cannot be used with the IS_COMPONENTS_V2 flag';
  const code = 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2';
  const legacy = [content === '' ? '' : 'content', embeds.length === 0 ? '' : 'embeds'].filter((name) => name !== '');
  if (legacy.length > 0) throw invalidForm(legacy.map((name) => ({ path: [name], code, message })));
}

function readFiles(
  { attachments }: z.output<typeof sharedForm>,
  uploads: RequestBody['uploads'],
): readonly GivenFile[] {
  if (uploads.size > mostFiles) throw new Refusal(400, 30015, 'Maximum number of attachments reached (10)');
  const form = z.object({}).superRefine((_, context) => {
    for (const [index, { id }] of (attachments ?? []).entries())
      if (typeof id === 'number' && !uploads.has(id))
        context.addIssue(
          ownMistake('ATTACHMENT_NOT_FOUND', `Attachment data not found for ${id}`, ['attachments', index]),
        );
  });
  readForm(form, {});
  return [...uploads].map(([number, upload]) => {
    const told = attachments?.find(({ id }) => String(id) === String(number));
    const name = told?.filename ?? upload.name;
    return { ...upload, name, ...(typeof told?.description === 'string' && { description: told.description }) };
  });
}

function checkFilled({ content, embeds, components, files }: MessageBody, filesLeft: number): void {
  const isEmpty = content === '' && embeds.length + components.length + files.length + filesLeft === 0;
  if (isEmpty) throw new Refusal(400, 50006, 'Cannot send an empty message');
}
