import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withAddresses } from '../../../channels/telegram/entities.ts';
import { eventOf, group, message, parse, wire } from './parsed.ts';

const page = 'https://hidden.example/page';
const news = { type: 'channel', chat: { id: -100, type: 'channel', title: 'News' }, message_id: 3, date: 1 };
const bob = { id: 43, is_bot: false, first_name: 'Bob' };

/** The entity of a link behind these words of the text. */
function link(text: string, words: string, url = page) {
  return { type: 'text_link', offset: text.indexOf(words), length: words.length, url };
}

/** The message's text with a link behind its words. */
function linked(text: string, words: string, url = page) {
  return { text, entities: [link(text, words, url)] };
}

describe('an address behind words', () => {
  test.each([
    ['at the end', 'Read the article', 'article', `Read the article (${page})`],
    ['at the beginning', 'Here it is', 'Here', `Here (${page}) it is`],
    ['that are the whole text', 'article', 'article', `article (${page})`],
    ['behind emoji', '😀👨‍👩‍👧 see this page', 'this', `😀👨‍👩‍👧 see this (${page}) page`],
    ['that are an emoji', 'look 👉 there', '👉', `look 👉 (${page}) there`],
    ['in Chinese', '请总结这篇文章。', '这篇文章', `请总结这篇文章 (${page})。`],
    ['in Japanese', 'この記事を要約して', '記事', `この記事 (${page})を要約して`],
    ['in Korean', '이 글을 요약해 줘', '글', `이 글 (${page})을 요약해 줘`],
    ['right to left', 'اقرأ المقال الآن', 'المقال', `اقرأ المقال (${page}) الآن`],
    ['with a blank at their end', 'a link then more', 'link ', `a link (${page}) then more`],
    ['over two lines', 'one\ntwo\nthree', 'one\ntwo', `one\ntwo (${page})\nthree`],
    ['that cannot be seen', 'hello\u200b', '\u200b', `hello\u200b (${page})`],
  ])('%s stands beside them', (_where, text, words, shown) => {
    expect(message(linked(text, words)).text).toBe(shown);
  });

  test.each([
    ['https://example.com', 'https://example.com/'],
    ['example.com', 'https://example.com/'],
    ['example.com/a/b?c=d', 'http://example.com/a/b?c=d'],
    ['EXAMPLE.com', 'https://example.com'],
    ['ada@example.com', 'mailto:ada@example.com'],
    ['http://例子.测试/页', 'http://xn--fsqu00a.xn--0zwm56d/%E9%A1%B5'],
  ])('%s is not said twice', (words, url) => {
    expect(message(linked(`see ${words} now`, words, url)).text).toBe(`see ${words} now`);
  });

  test.each([
    ['bank.example', 'https://evil.example/bank.example'],
    ['https://bank.example/', 'http://bank.example/'],
    ['bank.example', 'https://bank.example@evil.example/'],
    ['Bob', 'tg://user?id=43'],
    ['call', 'tel:+4912345'],
  ])('%s is said, since it leads to %s', (words, url) => {
    expect(message(linked(`see ${words} now`, words, url)).text).toBe(`see ${words} (${url}) now`);
  });

  test('stands beside each of several, once beside neighbours of one address, and beside nested marks', () => {
    const two = 'compare this and that';
    expect(
      message({
        text: two,
        entities: [link(two, 'that', 'https://b.example/'), link(two, 'this', 'https://a.example/')],
      }).text,
    ).toBe('compare this (https://a.example/) and that (https://b.example/)');
    const cut = [
      { type: 'text_link', offset: 0, length: 4, url: page },
      { type: 'bold', offset: 0, length: 4 },
      { type: 'text_link', offset: 4, length: 5, url: page },
    ];
    expect(message({ text: 'bold rest.', entities: cut }).text).toBe(`bold rest (${page}).`);
  });

  test('leaves the names of the bot and commands where they are', () => {
    const text = '@KeyBot look at this @KeyBot';
    const entities = [
      { type: 'mention', offset: 0, length: 7 },
      link(text, 'this'),
      { type: 'mention', offset: 21, length: 7 },
    ];
    expect(message({ chat: group, text, entities })).toMatchObject({
      text: `look at this (${page})`,
      addressed: true,
    });
    const command = '/model@KeyBot that one';
    const marks = [{ type: 'bot_command', offset: 0, length: 13 }, link(command, 'one')];
    expect(message({ chat: group, text: command, entities: marks }).text).toBe(`/model that one (${page})`);
  });
});

describe('an address behind words of', () => {
  test('a caption, an edit, a forwarded post and an inline bot is read', () => {
    const caption = 'Read the article';
    const file = { document: { file_id: 'f' }, caption, caption_entities: [link(caption, 'article')] };
    expect(message(file).text).toBe(`Read the article (${page})`);
    expect(eventOf({ edited_message: wire({ ...linked('read more', 'more'), edit_date: 2 }) })).toMatchObject({
      text: `read more (${page})`,
    });
    expect(message({ ...file, forward_origin: news })).toMatchObject({
      text: '',
      shared: [{ how: 'forwarded', name: 'News', text: `Read the article (${page})` }],
    });
    const via_bot = { id: 9, is_bot: true, first_name: 'Gif', username: 'gif' };
    expect(message({ ...linked('read more', 'more'), via_bot }).shared).toMatchObject([
      { text: `read more (${page})` },
    ]);
  });

  test('a message that is replied to is read, also of another chat, and of the part that was selected', () => {
    const replied = { message_id: 4, date: 1, from: bob, ...linked('Old: read this page. New: nothing.', 'page') };
    const quoted = (fields: object) => message({ text: 'why?', ...fields }).quote?.text;
    expect(quoted({ reply_to_message: replied })).toBe(`Old: read this page (${page}). New: nothing.`);
    expect(quoted({ external_reply: { ...replied, origin: news } })).toContain(page);
    const part = { text: 'this page.', position: 10 };
    expect(quoted({ reply_to_message: replied, quote: part })).toBe(`this page (${page}).`);
    expect(quoted({ reply_to_message: replied, quote: { text: 'New', position: 21 } })).toBe('New');
    // The message may have been changed since, or the part be known alone.
    const alone = { text: 'page', position: 90, entities: [link('page', 'page')] };
    expect(quoted({ reply_to_message: replied, quote: alone })).toBe(`page (${page})`);
  });

  test('a poll or a checklist is read', () => {
    const poll = { question: 'Which?', options: [{ text: 'this', text_entities: [link('this', 'this')] }] };
    expect(message({ poll }).text).toBe(`[poll: Which? · this (${page})]`);
    const checklist = { title: 'List', title_entities: [link('List', 'List')], tasks: [{ text: 'a' }] };
    expect(message({ checklist }).text).toBe(`[checklist: List (${page}) · a]`);
  });
});

describe('a button that opens an address', () => {
  const reply_markup = {
    inline_keyboard: [
      [
        { text: 'Read more', url: page },
        { text: 'Share', switch_inline_query: 'x' },
        { text: 'Press', callback_data: 'x' },
      ],
      [
        { text: 'Log in', login_url: { url: 'https://login.example/' } },
        { text: 'Open', web_app: { url: 'https://app.example/' } },
        { text: 7, url: 'https://odd.example/' },
        { text: 'news.example', url: 'https://news.example/' },
      ],
    ],
  };
  const buttons = [
    `[button: Read more (${page})]`,
    '[button: Log in (https://login.example/)]',
    '[button: Open (https://app.example/)]',
    '[button: news.example]',
  ];

  test('of a forwarded or quoted post is read below its text', () => {
    expect(message({ text: 'Big news', reply_markup, forward_origin: news }).shared).toMatchObject([
      { text: ['Big news', ...buttons].join('\n') },
    ]);
    const reply_to_message = { message_id: 4, date: 1, from: bob, photo: photoOf('f'), reply_markup };
    expect(message({ text: 'why?', reply_to_message }).quote?.text).toBe(['[photo]', ...buttons].join('\n'));
  });

  test('is all that a post without words says', () => {
    expect(message({ photo: photoOf('f'), reply_markup, forward_origin: news }).shared).toMatchObject([
      { text: buttons.join('\n') },
    ]);
  });
});

test('the preview of an address that no word names is read', () => {
  const link_preview_options = { url: page };
  const shown = `Big news\n[preview of a link (${page})]`;
  expect(message({ text: 'Big news', link_preview_options, forward_origin: news }).shared).toMatchObject([
    { text: shown },
  ]);
  expect(message({ ...linked('Big news', 'news'), link_preview_options }).text).toBe(`Big news (${page})`);
  expect(message({ text: `See ${page}`, link_preview_options }).text).toBe(`See ${page}`);
  expect(message({ text: 'Big news', link_preview_options: { url: page, is_disabled: true } }).text).toBe('Big news');
});

describe('odd entities', () => {
  test.each([
    ['no list', 'x'],
    ['no objects', [7, null]],
    ['no numbers', [{ type: 'text_link', offset: 'a', length: 1, url: page }]],
    ['no address', [{ type: 'text_link', offset: 0, length: 2 }]],
    ['a blank address', [{ type: 'text_link', offset: 0, length: 2, url: ' ' }]],
    ['another type', [{ type: 'bold', offset: 0, length: 2, url: page }]],
  ])('that are %s cost only themselves', (_what, entities) => {
    expect(message({ text: 'hello', entities }).text).toBe('hello');
  });

  test.each([
    [-5, 7, `he (${page})llo`],
    [3, 900, `hello (${page})`],
    [900, 1, `hello (${page})`],
    [2, 0, `he (${page})llo`],
    [4, -9, `hell (${page})o`],
  ])('at %i over %i count within the text', (offset, length, shown) => {
    expect(message({ text: 'hello', entities: [{ type: 'text_link', offset, length, url: page }] }).text).toBe(shown);
  });

  test('never throw, never split a character, and keep all of the text', () => {
    const mark = fc.record({
      type: fc.constantFrom('text_link', 'mention', 'bold'),
      offset: fc.integer({ min: -3, max: 30 }),
      length: fc.integer({ min: -3, max: 30 }),
      url: fc.webUrl(),
    });
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '😀', '好', '\n'), maxLength: 20 });
    fc.assert(
      fc.property(text, fc.array(mark, { maxLength: 6 }), (said, entities) => {
        const { text: shown } = withAddresses(said, entities);
        expect(shown.isWellFormed()).toBe(true);
        const urls = entities.map(({ url }) => ` (${url})`);
        expect(urls.reduce((rest, url) => rest.replaceAll(url, ''), shown)).toBe(said);
        expect(parse({ update_id: 1, message: wire({ text: said, entities, chat: group }) }).type).not.toBe(
          'unreadable',
        );
      }),
      { seed: 7, numRuns: 300 },
    );
  });
});

function photoOf(file_id: string) {
  return [{ file_id, width: 1, height: 1 }];
}
