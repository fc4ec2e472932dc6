import { formatSize } from '../../text.ts';
import { wholeHtml } from '../web/read-html.ts';
import { DocumentError, type DocumentText, mostDocumentText } from './document.ts';
import { type MimePart, readMime, textOf } from './mime.ts';

/**
 * A mail as text: who wrote when to whom, what people see of it (its HTML rather than its plain text), mails in it, and
 * the names of what is attached. A mailbox (mbox) gives its mails in order. Throws `DocumentError`.
 */
export function readMail(bytes: Buffer): DocumentText {
  const mails = mailsIn(bytes);
  const [first] = mails;
  if (first === undefined) throw new DocumentError('The mail is broken: it has no content.');
  if (mails.length === 1) return readOne(readMime(first));
  const texts: string[] = [];
  let length = 0;
  for (const [index, mail] of mails.entries()) {
    if (length >= mostDocumentText) break;
    const text = mailText(readMime(mail));
    texts.push(`## Mail ${index + 1} of ${mails.length}\n\n${text}`);
    length += text.length;
  }
  return { kind: 'mailbox', text: texts.join('\n\n') };
}

/** The mails of a mailbox, each of which begins with a line `From `; otherwise all. */
function mailsIn(bytes: Buffer): readonly Buffer[] {
  const source = bytes.toString('latin1').trimStart();
  const separator = /(?:^|\r?\n\r?\n)From [^\r\n]{3,200}\r?\n(?=[!-9;-~]+:)/g;
  if (!source.startsWith('From ')) return [Buffer.from(source, 'latin1')];
  return source
    .split(separator)
    .filter((mail) => mail.trim() !== '')
    .map((mail) => Buffer.from(mail, 'latin1'));
}

function readOne(mail: MimePart): DocumentText {
  const title = mail.header('subject');
  const notes = [
    ...(isCut(mail) ? ['The end of the mail is missing.'] : []),
    ...(isLocked(mail) ? ['The mail is encrypted: its text cannot be read without its key.'] : []),
  ];
  const page = mail.header('snapshot-content-location');
  const isPage = page !== '' || (mail.type === 'multipart/related' && mail.header('from').startsWith('<Saved by'));
  return {
    kind: isPage ? 'web archive' : 'mail',
    title: title === '' ? undefined : title,
    text: isPage ? [page, contentOf(mail).text].filter((part) => part !== '').join('\n\n') : mailText(mail),
    note: notes.length === 0 ? undefined : notes.join(' '),
  };
}

function isCut(part: MimePart): boolean {
  return part.isCut || part.parts.some(isCut);
}

function isLocked({ type, parameters }: MimePart): boolean {
  return (
    type === 'multipart/encrypted' ||
    (/^application\/(?:x-)?pkcs7-mime$/.test(type) && parameters.get('smime-type') !== 'signed-data')
  );
}

function mailText(mail: MimePart): string {
  const lines = ['From', 'To', 'Cc', 'Date', 'Subject'].flatMap((name) => {
    const value = mail.header(name.toLowerCase());
    return value === '' ? [] : [`${name}: ${value}`];
  });
  const { text, attachments, messages } = contentOf(mail);
  return [
    // Two blanks: a line break in markdown.
    lines.join('  \n'),
    text,
    ...(attachments.length === 0
      ? []
      : [`Attachments, which are not read here:\n\n${attachments.map((one) => `- ${one}`).join('\n')}`]),
    ...messages.map((message) => `--- A mail in this mail:\n\n${mailText(message)}`),
  ]
    .filter((part) => part.trim() !== '')
    .join('\n\n');
}

interface Content {
  readonly text: string;
  /** Names with types and sizes. */
  readonly attachments: readonly string[];
  readonly messages: readonly MimePart[];
}

const nothing: Content = { text: '', attachments: [], messages: [] };

function contentOf(part: MimePart): Content {
  const { type, parts, isAttachment } = part;
  if (type === 'message/rfc822' && parts.length > 0) return { ...nothing, messages: parts };
  if (type === 'multipart/alternative') return chosen(parts);
  if (parts.length > 0) return all(parts.map(contentOf));
  if (isAttachment || part.fileName !== undefined || !/^text\/(?!calendar|x-amp)/.test(type))
    return part.body.length === 0 && part.fileName === undefined ? nothing : { ...nothing, attachments: [named(part)] };
  const text = textOf(part);
  return { ...nothing, text: type === 'text/html' ? wholeHtml(text) : text };
}

/** The form that people see: HTML if it says anything, else the best of the others. */
function chosen(parts: readonly MimePart[]): Content {
  const contents = parts.map((part) => ({ isHtml: isHtml(part), content: contentOf(part) }));
  const worded = contents.filter(({ content }) => content.text.trim() !== '');
  const best = worded.findLast((one) => one.isHtml) ?? worded.at(-1);
  const rest = contents.map(({ content }) => ({ ...content, text: '' }));
  return { ...all(rest), text: best?.content.text ?? '' };
}

function isHtml({ type, parts }: MimePart): boolean {
  return type === 'text/html' || parts.some(isHtml);
}

function all(contents: readonly Content[]): Content {
  return {
    text: contents
      .map(({ text }) => text.trim())
      .filter((text) => text !== '')
      .join('\n\n'),
    attachments: contents.flatMap(({ attachments }) => attachments),
    messages: contents.flatMap(({ messages }) => messages),
  };
}

function named({ fileName = 'without a name', type, body }: MimePart): string {
  return `${fileName} (${type}, ${formatSize(body.length)})`;
}
