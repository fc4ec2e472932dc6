import type { Environment } from './environment.ts';

/** The values of variables whose names look secret, and the passwords in the addresses of all others. */
export function secretVariables(environment: Environment): readonly string[] {
  return Object.entries(environment).flatMap(([name, value = '']) => [
    ...(secretName.test(name) && value.length >= shortestValue && mayBeSecret(value) ? [value] : []),
    ...passwordsIn(value),
  ]);
}

/** Whether it can be a secret at all, and is no number, switch, path or plain address. */
export function mayBeSecret(value: string): boolean {
  if (/^(?:true|false|yes|no|on|off|null|none|[-+\d.,:_]+)$/i.test(value)) return false;
  return !isPath(value) && !address.test(value);
}

/** A word of the name ends so: `OPENAI_API_KEY`, `PGPASSWORD`, `authToken`; not `KEYBOARD`, not `TOKENIZERS_PARALLELISM`. */
const secretName =
  /(?:key|token|secret|passw(?:or)?d|passphrase|passcode|credential|(?:^|_)(?:pass|pwd|auth|cookie))s?(?:_|$)/i;

/** Shorter ones stand in too many texts by chance. */
const shortestValue = 8;

/** Without a user, a query and a fragment, which may be secret. */
const address = /^[a-z][a-z\d+.-]*:\/\/[^\s/@?#]*(?:\/[\w./-]{0,30})?$/i;

/** `/etc/key.pem`, `~/.ssh`, `./key`, `C:\keys`; but a key in base64 may begin with a slash, too. */
function isPath(value: string): boolean {
  if (!/^(?:~|\.{0,2})(?:\/[\w.@ -]*)+$|^[A-Za-z]:\\/.test(value)) return false;
  return !value
    .split('/')
    .some((name) => name.length >= 16 && /\d/.test(name) && /[a-z]/.test(name) && /[A-Z]/.test(name));
}

function passwordsIn(value: string): readonly string[] {
  const password = /^[a-z][a-z\d+.-]*:\/\/[^\s/:@]*:([^\s/@]{6,})@/i.exec(value)?.[1];
  return password === undefined ? [] : [password];
}
