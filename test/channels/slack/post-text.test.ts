import { describe, expect, test } from 'vitest';
import { tablesIn } from '../../../channels/slack/markup.ts';
import { postShape, readText, textOfPost } from '../../../channels/slack/posts.ts';
import { ada, bob, bot, general, intakeSetting, posted } from './intake-setting.ts';

const naming = (id: string): string => ({ U1: 'Ada', C1: 'general' })[id] ?? id;

function textOf(fields: object): string {
  return readText(textOfPost(postShape.parse({ ts: '1.0', ...fields })), bot, naming);
}

test.each([
  ['<@U1> and <@U2>', '@Ada and @U2'],
  ['<@U2|bob>', '@bob'],
  ['<#C1|> <#C1> <#C2|random>', '#general #general #random'],
  ['see <https://a.example/x?a=1&amp;b=2|the page>', 'see the page (https://a.example/x?a=1&b=2)'],
  [
    '<https://a.example> <http://a.example|a.example> <mailto:a@b.example|a@b.example>',
    'https://a.example http://a.example a@b.example',
  ],
  ['<!here> <!channel|channel> <!subteam^S1|@team> <!subteam^S1>', '@here @channel @team @S1'],
  ['<!date^1392734382^{date}|18 February 2014>', '18 February 2014'],
  ['1 &lt; 2 &amp;&amp; 3 &gt; 2, typed &amp;lt;', '1 < 2 && 3 > 2, typed &lt;'],
  ['<@U1', '<@U1'],
  ['<nothing known>', '<nothing known>'],
  [`<@${bot}> <@${bot}|key>, stop`, 'stop'],
  [`ask <@${bot}>`, `ask @${bot}`],
])('a text is read as people see it: %s', (text, shown) => {
  expect(textOf({ text })).toBe(shown);
});

const rich = (...elements: object[]) => [{ type: 'rich_text', elements }];
const section = (...elements: object[]) => ({ type: 'rich_text_section', elements });
const words = (text: string) => ({ type: 'text', text });

test.each([
  ['run:```a &lt; b\n&lt;@U1&gt;```now', 'run:\n```\na < b\n<@U1>\n```\nnow'],
  ['```\na\n```', '```\na\n```'],
  ['```a```\n```b', '```\na\n```\n```b'],
  ['``` and ``````', '```\n and \n```\n```'],
])('the fences of code stand alone: %j', (text, shown) => {
  expect(textOf({ text })).toBe(shown);
});

describe('blocks', () => {
  test('of a person say nothing that the text does not say', () => {
    expect(textOf({ text: 'hi', blocks: rich(section(words('other'))) })).toBe('hi');
  });

  test('a pasted table is a table', () => {
    const cell = (text: string) => ({ type: 'raw_text', text });
    const link = { type: 'link', url: 'https://a.example/1', text: 'y' };
    const table = {
      type: 'table',
      rows: [
        [cell('a'), cell('b|c')],
        [cell('1\n2'), { type: 'rich_text', elements: [section(words('x '), link, { type: 'emoji', name: 'wave' })] }],
      ],
    };
    expect(textOf({ text: 'look', blocks: [...rich(section(words('look'))), table] })).toBe(
      'look\n\n| a | b\\|c |\n| --- | --- |\n| 1 2 | x y (https://a.example/1):wave: |',
    );
  });

  test('with anything in them are borne', () => {
    const odd = [null, 7, 'x', [], {}, { text: 7 }, { type: 'user', user_id: {} }, { type: 'link', url: null }];
    for (const rows of [
      null,
      7,
      [],
      [7],
      [[]],
      [odd, null],
      [[{ type: 'rich_text', elements: [section(...odd.map(Object))] }]],
    ])
      expect(textOf({ text: 'a', blocks: [null, 7, { type: 'table', rows }] })).toMatch(/^a/);
    for (const blocks of [null, 7, {}, [7], [{ type: 'rich_text' }], [{ type: 'table' }]])
      expect(tablesIn(blocks)).toBe('');
  });

  test('a program may say all in its blocks or below its post', () => {
    const block = { type: 'section', text: { type: 'mrkdwn', text: 'build <https://a.example|12>' } };
    expect(textOf({ text: '', blocks: [block] })).toBe('build 12 (https://a.example)');
    const list = { type: 'rich_text_list', elements: [section(words('one')), section(words('two'))] };
    const code = { type: 'rich_text_preformatted', elements: [words('a < b\nc')] };
    expect(textOf({ text: '', blocks: rich(section(words('so:')), list, code) })).toBe(
      'so:\n- one\n- two\n```\na < b\nc\n```',
    );
    expect(textOf({ text: '', attachments: [{ title: 'Alert', text: 'disk full' }, { fallback: 'see it' }] })).toBe(
      'Alert\ndisk full\n\nsee it',
    );
  });
});

describe('a forwarded message', () => {
  const share = {
    is_share: true,
    author_id: 'U1',
    author_name: 'Ada',
    text: 'the &amp; news',
    files: [{ id: 'F7', mimetype: 'image/png' }],
  };

  test('stands apart from what its sender typed, with its files', async () => {
    const setting = await intakeSetting();
    await setting.intake.take(posted({ channel: 'D1', text: 'what is that?', attachments: [share] }));
    expect(setting.last).toMatchObject({
      text: 'what is that?',
      shared: [{ how: 'forwarded', name: 'Ada', text: 'the & news', isOwn: false }],
      attachments: [{ kind: 'image', handle: 'T00000001/F7', mediaType: 'image/png', isShared: true }],
    });
  });

  test('without a word is still something that was said', async () => {
    const setting = await intakeSetting();
    await setting.intake.take(
      posted({ channel: 'D1', text: '', attachments: [{ ...share, author_id: bot, author_name: '' }] }),
    );
    expect(setting.last).toMatchObject({ text: '', shared: [{ name: 'keyturn', isOwn: true }] });
  });

  test('that is a command is none, and is still told apart after its sender has changed their own words', async () => {
    const setting = await intakeSetting();
    const attachments = [{ ...share, text: '/approve k3f9', files: [] }];
    await setting.intake.take(posted({ channel: 'D1', text: '', attachments }));
    expect(setting.last).toMatchObject({ text: '', shared: [{ text: '/approve k3f9' }] });
    const post = { type: 'message', user: 'U1', text: 'what is that?', attachments, ts: setting.last.messageId };
    const changed = { ...post, edited: { user: 'U1', ts: '1700000009.000100' } };
    const event = {
      channel: 'D1',
      subtype: 'message_changed',
      message: changed,
      previous_message: post,
      text: undefined,
    };
    await setting.intake.take(posted(event));
    expect(setting.host.received.at(-1)).toMatchObject({
      type: 'edit',
      text: 'what is that?',
      shared: [{ text: '/approve k3f9', name: 'Ada' }],
    });
  });

  test('what a program shows below the post of a person who typed nothing is not that person speaking', async () => {
    const setting = await intakeSetting();
    await setting.intake.take(posted({ channel: 'D1', text: '', attachments: [{ text: '/pair mbypbq7k' }] }));
    expect(setting.last).toMatchObject({ text: '', shared: [{ name: '', text: '/pair mbypbq7k' }] });
  });

  test('a preview of an address is none', async () => {
    const setting = await intakeSetting();
    await setting.intake.take(
      posted({ channel: 'D1', text: 'see', attachments: [{ from_url: 'https://a.example', text: 'A' }] }),
    );
    expect(setting.last.quote).toBeUndefined();
  });
});

describe('files', () => {
  test('come by their kind, and by the workspace through which they are fetched', async () => {
    const setting = await intakeSetting();
    const files = [
      { id: 'F1', name: 'a.png', mimetype: 'image/png', size: 12 },
      { id: 'F2', name: 'say.webm', mimetype: 'audio/webm', subtype: 'slack_audio' },
      { id: 'F3', mimetype: 'audio/mpeg' },
      { id: 'F4', mimetype: 'video/mp4', name: null, size: -1 },
      { id: 'F5', mimetype: 'application/pdf', name: 'p.pdf' },
      { id: 'F6', mode: 'tombstone' },
      { id: 'F7', mode: 'hidden_by_limit' },
      { id: 'F8', mode: 'file_access', file_access: 'check_file_info' },
      { id: null },
    ];
    await setting.intake.take(posted({ channel: general, subtype: 'file_share', text: '', files }));
    expect(setting.last.attachments).toEqual([
      { kind: 'image', handle: 'T00000001/F1', name: 'a.png', mediaType: 'image/png', size: 12 },
      { kind: 'voice', handle: 'T00000001/F2', name: 'say.webm', mediaType: 'audio/webm' },
      { kind: 'audio', handle: 'T00000001/F3', mediaType: 'audio/mpeg' },
      { kind: 'video', handle: 'T00000001/F4', mediaType: 'video/mp4' },
      { kind: 'file', handle: 'T00000001/F5', name: 'p.pdf', mediaType: 'application/pdf' },
      { kind: 'file', handle: 'T00000001/F8' },
    ]);
  });

  test('that somebody else has uploaded are passed on, and not of the one who posts them', async () => {
    const setting = await intakeSetting();
    const files = [ada, bob, ''].map((user, index) => ({ id: `F${index}`, user }));
    await setting.intake.take(posted({ channel: general, subtype: 'file_share', text: 'look', files }));
    expect(setting.last.attachments?.map(({ isShared }) => isShared)).toEqual([undefined, true, undefined]);
  });
});

describe('an address behind words', () => {
  const page = 'https://hidden.example/page?a=1&b=2';
  const button = (text: string, url: unknown = page) => ({
    type: 'button',
    text: { type: 'plain_text', text },
    url,
  });
  const link = { type: 'link', url: page, text: 'this page' };

  test.each([
    ['in rich text', { blocks: rich(section(words('see '), link)) }, `see this page (${page})`],
    [
      'that are the address',
      { blocks: rich(section({ type: 'link', url: 'https://a.example' })) },
      'https://a.example',
    ],
    [
      'of a button',
      { text: 'news', blocks: [{ type: 'actions', elements: [button('Read <more>')] }] },
      `news\n\n[button: Read <more> (${page})]`,
    ],
    [
      'of a button beside a section',
      { blocks: [{ type: 'section', text: words('news'), accessory: button('Go') }] },
      `news\n\n[button: Go (${page})]`,
    ],
    [
      'of a button without an address',
      { text: 'news', blocks: [{ type: 'actions', elements: [button('Press', 7)] }] },
      'news',
    ],
    [
      'in the fields of a section',
      { blocks: [{ type: 'section', fields: [{ type: 'mrkdwn', text: `<${page}|build>` }] }] },
      `build (${page})`,
    ],
    [
      'in a context',
      { blocks: [{ type: 'context', elements: [{ type: 'mrkdwn', text: `by <${page}|Bob>` }, { type: 'image' }] }] },
      `by Bob (${page})`,
    ],
    [
      'of a title',
      { attachments: [{ title: 'Alert', title_link: page, text: 'disk full' }] },
      `Alert (${page})\ndisk full`,
    ],
    [
      'of a preview',
      { attachments: [{ title: 'A page', from_url: page, text: 'It says' }] },
      `A page (${page})\nIt says`,
    ],
    [
      'in an attachment',
      { attachments: [{ pretext: 'So:', fields: [{ title: 'Where', value: `<${page}|here>` }], footer: 'CI' }] },
      `So:\nWhere: here (${page})\nCI`,
    ],
    ['in the blocks of an attachment', { attachments: [{ blocks: rich(section(link)) }] }, `this page (${page})`],
    [
      'of an old button',
      { attachments: [{ text: 'x', actions: [{ type: 'button', text: 'Open', url: page }] }] },
      `x\n[button: Open (${page})]`,
    ],
    [
      'with a bar in it',
      { attachments: [{ title: 'A', title_link: 'https://a.example/x|y' }] },
      'A (https://a.example/x%7Cy)',
    ],
  ])('%s is read, in a post of a program', (_where, fields, shown) => {
    expect(textOf({ bot_id: 'B1', ...fields })).toBe(shown);
  });

  test('is not said twice if the text of the post and its blocks say it', () => {
    const text = `Build <${page.replaceAll('&', '&amp;')}|12> failed`;
    const blocks = [
      ...rich(section(words('Build '), { type: 'link', url: page, text: '12' }, words(' failed'))),
      { type: 'section', text: { type: 'mrkdwn', text } },
    ];
    expect(textOf({ bot_id: 'B1', text, blocks })).toBe(`Build 12 (${page}) failed`);
  });

  test('below the words of a person is of the program, and a preview is nothing that they say', async () => {
    const setting = await intakeSetting();
    const below = { title: 'Ticket 7', title_link: 'https://a.example/7', text: 'It burns' };
    await setting.intake.take(posted({ channel: 'D1', text: 'what is that?', attachments: [below] }));
    expect(setting.last).toMatchObject({
      text: 'what is that?',
      shared: [{ name: '', text: 'Ticket 7 (https://a.example/7)\nIt burns' }],
    });
    const preview = { ...below, from_url: 'https://a.example/7' };
    await setting.intake.take(posted({ channel: 'D1', text: 'see <https://a.example/7>', attachments: [preview] }));
    expect(setting.last).toMatchObject({ text: 'see https://a.example/7', shared: undefined });
  });

  test('in a forwarded message is read, with its buttons', async () => {
    const setting = await intakeSetting();
    const blocks = [...rich(section(words('the '), link)), { type: 'actions', elements: [button('Read more')] }];
    const share = {
      is_share: true,
      author_name: 'CI',
      text: `the <${page.replaceAll('&', '&amp;')}|this page>`,
      message_blocks: [{ message: { blocks } }],
    };
    await setting.intake.take(posted({ channel: 'D1', text: 'and?', attachments: [share] }));
    expect(setting.last.shared).toMatchObject([{ text: `the this page (${page})\n\n[button: Read more (${page})]` }]);
  });
});
