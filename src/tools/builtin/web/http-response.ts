import { oneLine } from '../../../lib/plain-text.ts';
import type { WebResponse } from '../../guard/network/web-client.ts';
import type { ToolOutput } from '../../output.ts';
import { formatSize } from '../../text.ts';
import { bodyText } from './body-text.ts';
import { statusWords } from './status-words.ts';

/** An answer for the model: its status, the headers that are of use, and its body if that is text. */
export function describeResponse(asked: string, response: WebResponse): ToolOutput {
  const { url, status, headers } = response;
  const from = URL.parse(asked)?.href === url ? '' : ` from ${oneLine(url, 500)}, after redirects`;
  const lines = [
    `[${statusWords(status)}${from}]`,
    ...Object.entries(headers)
      .filter(([name]) => useful.test(name))
      .slice(0, 20)
      .map(([name, value]) => `${name}: ${oneLine(value, 500)}`),
    '',
    describeBody(response),
  ];
  return {
    forLlm: lines.join('\n'),
    isError: status >= 400,
    isAsync: false,
    untrusted: new URL(url).hostname,
  };
}

const useful =
  /^(?:content-type|content-location|content-disposition|location|etag|last-modified|link|allow|retry-after|www-authenticate|(?:x-)?rate-?limit-[a-z-]{1,40}|x-total-count)$/;

function describeBody({ headers, body, truncated }: WebResponse): string {
  const size = formatSize(body.length);
  if (body.length === 0) return '[no body]';
  const type = headers['content-type'] ?? '';
  const text = bodyText(body, type);
  if (text === undefined) {
    return `[a binary body of ${truncated ? 'more than ' : ''}${size}${type === '' ? '' : `, ${oneLine(type, 100)}`}; it is not shown]`;
  }
  return truncated ? `${text}\n[the answer goes on: only its first ${size} were read]` : text;
}
