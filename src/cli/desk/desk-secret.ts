/* A secret that an owner has typed: it goes into `.env`, and nowhere else. */

import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { KeptSecret, SecretKept } from '../../config/config-desk.ts';
import { envFileOf, variablesIn } from '../../config/environment.ts';
import { replaceWhole } from '../../lib/replace-whole.ts';
import type { Language } from '../../lib/words.ts';
import { editedEnv, envTextOf } from '../env-text.ts';
import { UnansweredError } from '../unanswered-error.ts';
import type { DeskParts } from './desk-parts.ts';
import { deskWords } from './words.ts';

/**
 * What the system, Node, a shell or a library reads by itself: such a variable is no secret. It may run code, lead what is
 * sent to another server, have that trusted, or this program look elsewhere.
 */
const reserved = new RegExp(
  `^(?:${[
    'PATH|HOME|SHELL|USER|LOGNAME|TERM|TZ|TMPDIR|PWD|IFS|ENV|LANG|LANGUAGE|EDITOR|VISUAL|PAGER|NOTIFY_SOCKET|GCONV_PATH',
    '(?:LC|LD|DYLD|NODE|NPM|BASH|SYSTEMD|GIT)_\\w*|(?:PYTHON|PERL|RUBY)\\w*',
    '(?:\\w+_)?PROXY|SSL_CERT_(?:FILE|DIR)|SSLKEYLOGFILE|OPENSSL_\\w*|\\w*CA_(?:BUNDLE|CERTS?)',
    '\\w+_(?:BASE_URL|API_BASE|ENDPOINT)|XDG_\\w*|KEYTURN_(?:HOME|DATA|CALL|OWNER|OWNER_ID|PLUGIN_DIR|STARTER_PIPE)',
  ].join('|')})$`,
  'i',
);

/** Private keys and certificates, of which the lines are a part: none of them could set a variable. */
const pem =
  /^(?:-----BEGIN [A-Z\d ]{1,60}-----\r?\n(?:[A-Z][A-Za-z-]{1,30}: [\w,-]{1,100}\r?\n|\r?\n)*(?:[A-Za-z\d+/]{1,80}\r?\n)*[A-Za-z\d+/]{1,80}={0,2}\r?\n-----END [A-Z\d ]{1,60}-----(?:\r?\n|$))+$/;

/** A program that reads `.env` by lines, as containers do, would take what follows for another variable. */
function hasLines(value: string): boolean {
  return /[\r\n\v\f\0\u0085\u2028\u2029]/.test(value) && !pem.test(value);
}

/** Sets it for its owner alone; every other line of the file stays as it is. */
export async function keepSecret(
  { name: wanted, value, replaces }: KeptSecret,
  { place }: DeskParts,
  language: Language,
): Promise<SecretKept> {
  const say = deskWords[language];
  if (!/^[A-Za-z_]\w{0,63}$/.test(wanted) || reserved.test(wanted))
    return { type: 'refused', why: say.badName({ name: wanted.slice(0, 64) }) };
  if (value.trim() === '' || value.length > longestSecret) return { type: 'refused', why: say.badValue };
  if (hasLines(value)) return { type: 'refused', why: say.badLines };
  const file = envFileOf(dirname(resolve(place.cwd, place.path)));
  // A variable of the process would count more than that of the file.
  const ofProcess = place.env[wanted] ?? '';
  const name = ofProcess === '' || ofProcess === value ? wanted : `KEYTURN_${wanted}`;
  try {
    const bytes = await readFile(file).catch(absent);
    const text = bytes === undefined ? '' : envTextOf(bytes, file);
    const present = variablesIn(bytes)?.variables[name] ?? '';
    if (present !== '' && present !== value && !replaces) return { type: 'taken', name };
    const edited = editedEnv(text, new Map([[name, value]]), file);
    if (edited !== text) {
      const written = await replaceWhole(file, edited, { mostMode: 0o600, unchangedFrom: { bytes } });
      if (written.type === 'changed') return { type: 'refused', why: say.envChanged({ file }) };
    }
    return { type: 'kept', name, file };
  } catch (error) {
    if (error instanceof UnansweredError) return { type: 'refused', why: error.saidIn(language) };
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === undefined) throw error;
    return { type: 'refused', why: say.notWritable({ file, code }) };
  }
}

const longestSecret = 16_384;

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
