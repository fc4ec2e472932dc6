/** How people and chats are called in a text. */
export interface Naming {
  person(userId: string): string;
  /** Without the sign before it. */
  chat(chatId: string): string;
}

/** Who and what a text in Slack's own markup names. */
export interface Named {
  readonly users: readonly string[];
  readonly chats: readonly string[];
  readonly groups: readonly string[];
}

/** Slack writes whatever is more than words between these, and everybody else's in another way. */
const mark = /<([^<>]+)>/;

/** Whom a text in Slack's markup names, each once. */
export function namedIn(source: string): Named {
  const found = { users: new Set<string>(), chats: new Set<string>(), groups: new Set<string>() };
  for (const [, inner = ''] of source.matchAll(new RegExp(mark, 'g'))) {
    const { sign, target } = partsOf(inner);
    if (sign === '@') found.users.add(target);
    if (sign === '#') found.chats.add(target);
    if (sign === '!' && target.startsWith('subteam^')) found.groups.add(target);
  }
  return { users: [...found.users], chats: [...found.chats], groups: [...found.groups] };
}

/** Slack's markup as people see it. */
export function readMrkdwn(source: string, naming: Naming): string {
  // The odd ones are what stood between the signs.
  return source
    .split(mark)
    .map((part, index) => (index % 2 === 0 ? unescapeText(part) : readMark(part, naming)))
    .join('');
}

/** Once, with the sign of all others last: what a person has typed as an entity stays one. */
function unescapeText(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

interface Parts {
  readonly sign: '@' | '#' | '!' | 'link' | 'none';
  readonly target: string;
  readonly label: string;
}

function partsOf(inner: string): Parts {
  const bar = inner.indexOf('|');
  const head = bar === -1 ? inner : inner.slice(0, bar);
  const label = bar === -1 ? '' : unescapeText(inner.slice(bar + 1));
  const [, sign, id = ''] = /^([@#])([A-Z][A-Z0-9]+)$/.exec(head) ?? [];
  if (sign === '@' || sign === '#') return { sign, target: id, label };
  if (head.startsWith('!')) return { sign: '!', target: head.slice(1), label };
  return { sign: /^[a-z][a-z0-9+.-]*:/i.test(head) ? 'link' : 'none', target: unescapeText(head), label };
}

function readMark(inner: string, naming: Naming): string {
  const { sign, target, label } = partsOf(inner);
  switch (sign) {
    case '@':
      return `@${label === '' ? naming.person(target) : label.replace(/^@/, '')}`;
    case '#':
      return `#${label === '' ? naming.chat(target) : label}`;
    case '!':
      return readSpecial(target, label);
    case 'link':
      return readLink(target, label);
    case 'none':
      return unescapeText(`<${inner}>`);
  }
}

function readSpecial(target: string, label: string): string {
  if (target.startsWith('date^')) return label;
  const name = target.startsWith('subteam^') ? target.slice('subteam^'.length) : target;
  return label === '' ? `@${name}` : label.startsWith('@') ? label : `@${label}`;
}

/** Slack makes a link of every address by itself: then the label is the address. */
function readLink(address: string, label: string): string {
  const bare = address.replace(/^(?:mailto:|tel:)/i, '');
  if (label === '' || label === address || label === bare) return bare;
  if (
    /^https?:\/\//i.test(address) &&
    address.replace(/^https?:\/\//i, '').replace(/\/$/, '') === label.replace(/\/$/, '')
  )
    return address;
  return `${label} (${bare})`;
}
