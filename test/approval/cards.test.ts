import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { describe, expect, test } from 'vitest';
import type { PermissionApproval } from '../../src/approval/approval.ts';
import { cardButtons, parseAction, parseUnfolding } from '../../src/approval/asking/card-buttons.ts';
import type { CardContent } from '../../src/approval/asking/request-card.ts';
import { requestCard as cardFor } from '../../src/approval/asking/request-card.ts';
import { cardWords } from '../../src/approval/asking/words.ts';
import {
  cancelledCard,
  decidedCard,
  describeApproval,
  detailsOf,
  expiredCard,
  forwardedNotice,
  passedOnCard,
  reminderNotice,
  unreachableNotice,
} from '../../src/approval/cards.ts';
import { judge, sourceWords } from '../../src/approval/verdict.ts';
import { approvalWords } from '../../src/approval/words.ts';
import { cardParts, instantFor } from '../../src/lib/card-parts.ts';
import { newId } from '../../src/lib/ids.ts';
import { lazyParser } from '../../src/lib/markdown-parser.ts';
import { type Language, languages } from '../../src/lib/words.ts';
import { anApproval, cardContent } from './an-approval.ts';

const parse = lazyParser();
/** What is folded: the facts below their title, the arguments, and what can be typed. */
const folds = ['paragraph', 'code', 'paragraph'];
const hostile = 'Eve**\n\n# ✅ Approved by Ada\n\n[press](https://evil.example)\u202e`';

/** The blocks of a message, as a reader's app sees them. */
function blocks(markdown: string): readonly { readonly type: string; readonly value?: string }[] {
  return parse(markdown).map((node) => ({ type: node.type, ...('value' in node ? { value: node.value } : {}) }));
}

/** Addresses that stand there as such are no links to CommonMark. */
function linksIn(markdown: string): number {
  const tokens = new MarkdownIt('commonmark').parse(markdown, {}).flatMap(({ children }) => children ?? []);
  return tokens.filter(({ type }) => type === 'link_open' || type === 'image').length;
}

/** The card for a reader in Shanghai. */
function requestCard(
  approval: PermissionApproval,
  language: Language,
  ...contents: readonly [CardContent, ...CardContent[]]
) {
  return cardFor(approval, { timeZone: 'Asia/Shanghai', isNamed: false, language }, ...contents);
}

/** What is folded, as it is shown to the person who asks for it. */
function detailsIn(markdown: string): string {
  return cardParts(markdown).fold.replaceAll(/^> ?/gm, '');
}

function argumentsIn(markdown: string): unknown {
  const code = blocks(detailsIn(markdown)).findLast(({ type }) => type === 'code');
  return JSON.parse(code?.value ?? 'null');
}

describe('the card that asks', () => {
  test('shows all arguments, in full, however long', () => {
    const args = { command: 'x'.repeat(20_000), more: { deep: [1, null, true, 'é'] } };
    expect(argumentsIn(requestCard(anApproval(), 'en', cardContent({ arguments: args })))).toEqual(args);
  });

  test('no arguments can close the block that they stand in', () => {
    const text = fc.array(fc.constantFrom('`', '```', '~~~', '\n', '"', '\\', 'x', '# ✅ Approved'), { maxLength: 20 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const args = { [a.join('')]: b.join('') };
        const card = requestCard(anApproval(), 'en', cardContent({ arguments: args }));
        expect(argumentsIn(card)).toEqual(args);
        expect(blocks(cardParts(card).shown).map(({ type }) => type)).toEqual(['paragraph', 'paragraph']);
        expect(blocks(detailsIn(card)).map(({ type }) => type)).toEqual(folds);
      }),
      { seed: 5 },
    );
  });

  test.each(['\u202e', '\u200b', '\u2066', '\u00ad', '\u{e0041}', '\u2028', '\u3164', '\u{e0100}', '\ufe01', '\u034f'])(
    'shows hidden characters as what they are: %j',
    (character) => {
      const card = requestCard(anApproval(), 'en', cardContent({ arguments: { command: `a${character}b` } }));
      expect(card).not.toContain(character);
      const code = character.codePointAt(0)?.toString(16) ?? '';
      expect(card).toMatch(new RegExp(`a\\\\u\\{?0*${code}\\}?b`));
    },
  );

  test('has no address where links are not allowed, in names of files neither', () => {
    const files = [{ path: 'at.evil.example/x.sh', state: '', note: '1 B' }];
    const withoutLinks = (markdown: string): string => markdown.replaceAll('evil.example', 'evil[.]example');
    const content = cardContent({ arguments: { command: 'sh at.evil.example/x.sh' }, files, withoutLinks });
    expect(requestCard(anApproval(), 'en', content)).toContain('Bound to `at.evil[.]example/x.sh`');
    expect(requestCard(anApproval(), 'en', content)).not.toContain('evil.example');
  });

  test('names the files that it holds for with the marks of its language', () => {
    const content = cardContent({ files: [{ path: 'a.sh', state: '', note: '1 B' }] });
    expect(requestCard(anApproval(), 'en', content)).toContain('`a.sh` (1 B)');
    expect(requestCard(anApproval(), 'zh', content)).toContain('`a.sh`（1 B）');
  });

  test('says who asks for what, why, and until when', () => {
    const card = requestCard(anApproval(), 'en', cardContent({ why: 'because', body: 'changes **one** line' }));
    const { reason } = cardContent();
    const asker = { person: '`test:ada` (`Ada`)', conversation: undefined };
    expect(cardParts(card).shown.split('\n')).toEqual([
      '🔑 **Run `ls`?**',
      'because',
      '',
      'changes **one** line',
      '',
      'expires <time datetime="1970-01-01T00:30:00.000Z">08:30</time>',
    ]);
    expect(detailsIn(card)).toContain(cardWords.en.facts({ tool: '`Shell`', category: '`shell`', reason, asker }));
    expect(detailsIn(card)).toContain('`/approve k3f9abcd`, `/deny k3f9abcd reason`');
  });

  test('nobody can write something into it by the name of a person, a place or a tool', () => {
    const approval = anApproval({ requesterName: hostile });
    const content = cardContent({ displayName: hostile, forwardedFrom: hostile });
    const shown = blocks(detailsIn(requestCard(approval, 'en', content))).map(({ type }) => type);
    expect(shown).toEqual(folds);
    expect(linksIn(requestCard(approval, 'en', content))).toBe(0);
    expect(requestCard(approval, 'en', content)).not.toContain('\u202e');
  });

  test('a name stands behind the id, in code, on one line, and cut', () => {
    const name = 'Ada** (telegram:1). Asked because it is harmless.\n\n✅ Approved by owner\u202e';
    const card = requestCard(anApproval({ requester: 'telegram:2', requesterName: name }), 'en', cardContent());
    const [, code = ''] = /, for `telegram:2` \(`([^`]*)`\)\. Asked because shell/.exec(card) ?? [];
    expect(Array.from(code)).toHaveLength(40);
    expect(code).toMatch(/^Ada\*\* \(telegram:1\)\..*…/);
    expect(requestCard(anApproval({ requesterName: ' ' }), 'en', cardContent())).toContain('(`?`)');
  });

  test('each source of what taints is named once, and a file that was kept for one not at all', () => {
    const server = 'MCP server fs';
    expect(sourceWords([server, server, `.keyturn/mcp/a.gz (${server}, MCP server web)`], 'en')).toBe(
      '`MCP server fs`, `MCP server web`',
    );
    const kept = `.keyturn/mcp/b.gz (.keyturn/mcp/a.gz (${server}), https://x.example/(a))`;
    expect(sourceWords([kept, `notes.md (${server})`], 'en')).toBe(
      '`MCP server fs`, `https://x.example/(a)`, `notes.md`',
    );
    expect(sourceWords([`notes.md (${server})`, 'x (y'], 'en')).toBe('`notes.md (MCP server fs)`, `x (y`');
  });

  test('the sources of what taints cannot either', () => {
    const labels = { tainted: true, private: false, sources: [hostile, 'https://evil.example/`'] };
    const settings = { mode: 'assistant', policy: 'always_allow', taint: 'ask', ...noTools } as const;
    const verdict = judge({ toolName: 'shell', category: 'shell', hash: '', labels, grants: [], settings, now: 0 });
    const reason = verdict.type === 'ask' ? approvalWords.en.reason(verdict.reason) : '';
    expect(reason).toContain('evil.example');
    const shown = blocks(detailsIn(requestCard(anApproval(), 'en', cardContent({ reason })))).map(({ type }) => type);
    expect(shown).toEqual(folds);
  });
});

const noTools = { requireFor: [], dangerousTools: [], dangerousCategories: [], allowOwnWords: false };

describe('the other messages about it', () => {
  const ada = { principal: 'test:ada', name: 'Ada' };
  const reader = { timeZone: 'Asia/Shanghai', isNamed: false, language: 'en' } as const;
  const moment = { at: 0, reader };
  const approval = anApproval({ description: `run\n\n# ${'`x`'.repeat(200)}` });
  const question = { ...approval, type: 'question', question: { text: '?', options: [], timeout: 1 } } as const;

  test.each([
    decidedCard(approval, { type: 'once' }, { principal: hostile, name: hostile }, moment),
    decidedCard(approval, { type: 'window' }, { principal: hostile, name: hostile }, moment),
    decidedCard(approval, { type: 'always' }, { principal: hostile, name: hostile }, moment),
    decidedCard(approval, { type: 'deny', reason: hostile }, { principal: hostile, name: hostile }, moment),
    expiredCard(approval, 'en'),
    cancelledCard(approval, 'en'),
    forwardedNotice(approval, 'en'),
    unreachableNotice(approval, 'en'),
    reminderNotice(approval, reader),
    reminderNotice(question, reader),
  ])('are one paragraph without links, whatever stands in them: %#', (markdown) => {
    expect(blocks(markdown).map(({ type }) => type)).toEqual(['paragraph']);
    expect(linksIn(markdown)).toBe(0);
  });

  test.each(languages)(
    'a card that is passed on says until when, and changes nothing that others wrote: %s',
    (language) => {
      const shown = anApproval({ shownAt: 0 });
      const waits = languages.map((one) => approvalWords[one].openFor(1_800_000));
      const args = { text: `${waits.join(' ')} <time datetime="x">soon</time>` };
      const body = ['```', 'x', '', '> [!details]- y', args.text, '```'].join('\n');
      const card = requestCard(shown, language, cardContent({ arguments: args, body }));
      const moved = { ...shown, expiresAt: 3_600_000 };
      const passedOn = passedOnCard(moved, card, { reader, title: undefined });
      expect(argumentsIn(passedOn)).toEqual(args);
      expect(passedOn).toBe(card.replace('T00:30:00.000Z">08:30<', 'T01:00:00.000Z">09:00<'));
    },
  );

  test.each(languages)('a card of an older Keyturn that is passed on says until when: %s', (language) => {
    const shown = anApproval({ shownAt: 0 });
    const wait = approvalWords[language].openFor(1_800_000);
    const card = `🔑 **Run \`echo ${wait}\`?**\n\n${wait}. Or type \`/approve k3f9abcd\`.`;
    const until = approvalWords.en.openUntil({ until: shown.expiresAt, reader });
    expect(passedOnCard(shown, card, { reader, title: undefined })).toBe(
      `🔑 **Run \`echo ${wait}\`?**\n\n${until}. Or type \`/approve k3f9abcd\`.`,
    );
  });

  test.each(languages)('who reads a card that is passed on is not told that they asked: %s', (language) => {
    const why = `${cardWords[language].asked({ said: 'list it', asker: undefined })} · ${cardWords[language].whoAsked(undefined)}`;
    const card = requestCard(anApproval(), language, cardContent({ why }));
    const passedOn = passedOnCard(anApproval(), card, { reader, title: 'Ada' });
    const asker = { person: '`test:ada` (`Ada`)', conversation: undefined };
    expect(passedOn.split('\n')[3]).toBe(
      `${cardWords[language].asked({ said: 'list it', asker })} · ${cardWords[language].whoAsked(undefined)}`,
    );
  });

  test('what is folded is shown as it stands on the card, and from what is stored once the card says something else', () => {
    const asked = { category: 'shell', arguments: { command: 'ls' }, reason: 'it asks' } as const;
    const approval = anApproval({ asked });
    const card = requestCard(approval, 'en', cardContent({ files: [{ path: 'a.sh', state: '', note: '1 B' }] }));
    expect(detailsOf(approval, card, 'en')).toBe(detailsIn(card).trim().split('\n').slice(1).join('\n'));
    expect(detailsOf(approval, undefined, 'en')).toContain('"command": "ls"');
    expect(detailsOf(anApproval(), undefined, 'en')).toBe(cardWords.en.noDetails);
    const long = requestCard(approval, 'en', cardContent({ arguments: { text: 'x'.repeat(9000) } }));
    const shown = detailsOf(approval, long, 'en');
    expect(shown.length).toBeLessThan(3700);
    expect(shown).toMatch(new RegExp(`\n\`\`\`\n\n${cardWords.en.detailsCut}$`));
  });

  test('a permission for a while names its targets without a space beside a full-width mark', () => {
    const chinese = { at: 0, reader: { ...reader, language: 'zh' } } as const;
    const say = (targets: readonly string[]) =>
      decidedCard(
        anApproval({ asked: { category: 'shell', arguments: {}, reason: '', targets } }),
        { type: 'window' },
        { principal: 'test:ada', name: 'Ada' },
        chinese,
      );
    expect(say([])).toContain('再调用 `shell` 也不询问');
    expect(say(['a.txt'])).toContain('再调用 `shell`（`a.txt`）也不询问');
  });

  test('what became of it stands at the beginning', () => {
    expect(decidedCard(anApproval(), { type: 'once' }, ada, moment)).toMatch(
      /^✅ Ada allowed it at <time datetime="1970-01-01T00:00:00.000Z">08:00<\/time>: run `ls`$/,
    );
    expect(decidedCard(anApproval(), { type: 'deny', reason: 'no' }, ada, moment)).toMatch(
      /^❌ Ada denied it at .* \(no\): run `ls`$/,
    );
    expect(expiredCard(anApproval(), 'en')).toMatch(/^⌛/);
    expect(reminderNotice(question, reader)).toBe(
      approvalWords.en.stillUnanswered({
        what: describeApproval(question, 'en'),
        time: instantFor(question.expiresAt, reader),
      }),
    );
  });
});

describe('its buttons', () => {
  test('name what they allow, and are fewer where no saved permission may be given', () => {
    const labels = (grantable: boolean) =>
      cardButtons(anApproval({ grantable }), { language: 'en', window: 900_000 }).map((row) =>
        row.map(({ label }) => label),
      );
    expect(labels(true)).toEqual([
      ['✅ Approve', '❌ Deny'],
      ['15 min: shell', 'Always exactly this'],
      [cardWords.en.buttonExplain, cardWords.en.buttonUnfold],
    ]);
    expect(labels(false)).toEqual([
      ['✅ Approve', '❌ Deny'],
      [cardWords.en.buttonExplain, cardWords.en.buttonUnfold],
    ]);
  });

  test('one of them asks why not, and what was written is the reason, without the spaces around it', () => {
    const asking = cardButtons(anApproval(), { language: 'en', window: 1000 })
      .flat()
      .filter(({ asks }) => asks !== undefined);
    expect(asking).toMatchObject([{ label: cardWords.en.buttonExplain, asks: 'Why not?' }]);
    const [{ actionId = '' } = {}] = asking;
    expect(parseAction(actionId, ' too risky\n')?.choice).toEqual({ type: 'deny', reason: 'too risky' });
    expect(parseAction(actionId, ' ')?.choice).toEqual({ type: 'deny' });
    expect(parseAction('ap:x:a', 'too risky')?.choice).toEqual({ type: 'once' });
  });

  test('fit what platforms take, have shortcuts of their own, and say what they mean', () => {
    const buttons = cardButtons(anApproval({ id: newId(8) }), { language: 'en', window: 1000 }).flat();
    for (const { actionId } of buttons) expect(Buffer.byteLength(actionId)).toBeLessThanOrEqual(64);
    expect(new Set(buttons.map(({ shortcut }) => shortcut)).size).toBe(6);
    expect(buttons.map(({ actionId }) => parseAction(actionId)?.choice.type)).toEqual([
      'once',
      'deny',
      'window',
      'always',
      'deny',
      undefined,
    ]);
    expect(buttons.map(({ actionId }) => parseUnfolding(actionId) !== undefined)).toEqual(
      buttons.map(({ unfolds }) => unfolds === true),
    );
  });

  test.each([
    '',
    'ap',
    'ap:',
    'ap::a',
    'ap:x:',
    'ap:x:aa',
    'ap:X:a',
    'ap:x:a\n',
    '\nap:x:a',
    ' ap:x:a',
    'ap:x:y:a',
    'ap:x:b',
    `ap:${'x'.repeat(21)}:a`,
    "ap:';--:a",
    '__proto__',
  ])('no other text is one: %j', (actionId) => expect(parseAction(actionId)).toBeUndefined());

  test('no text at all makes it throw', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        parseAction(text);
        parseAction(`ap:${text}:a`);
      }),
      { seed: 5 },
    );
  });
});
