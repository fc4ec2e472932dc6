import { describe, expect, test } from 'vitest';
import { readHtml } from '../../../../src/tools/builtin/web/read-html.ts';
import type { ToolOutput } from '../../../../src/tools/output.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { expectAtMost } from '../../../support/processor-time.ts';
import { listed } from '../../setting.ts';
import { content, type WebFetchSetting, webFetchSetting } from './web-fetch-setting.ts';

const words = 'The harbour was built in 1874, and has been widened twice since then, most lately for the ferries.';

/** How many times as long as a plain page of its size a hostile one may keep the thread that all others need. */
const most = 20;

/** What is read of the page, which keeps the daemon's thread not much longer than a plain text of its size. */
async function readBeside(
  setting: WebFetchSetting,
  body: string | Buffer,
  { type = 'text/html', meanwhile = async () => {} }: { type?: string; meanwhile?: () => Promise<void> } = {},
): Promise<ToolOutput> {
  const plain = `${words}\n`.repeat(Math.ceil(body.length / words.length));
  let output: ToolOutput | undefined;
  await expectAtMost(
    most,
    () => setting.of({ type: 'text/plain', body: plain }),
    async () => {
      const reading = setting.of({ body, type });
      await meanwhile();
      output = await reading;
    },
  );
  if (output === undefined) throw new Error('Nothing was read.');
  return output;
}

/** A setting whose worker is given up when it has begun to read. */
async function impatientSetting() {
  const workerClock = new ManualClock();
  const giveUp = async (): Promise<void> => {
    await workerClock.waitsFor(60_000);
    workerClock.advance(60_000);
  };
  return { workerClock, giveUp, setting: await webFetchSetting({}, { workerClock }) };
}

describe('a hostile page', () => {
  test('of 20,000 nested elements is read, and holds up nobody', async () => {
    const setting = await webFetchSetting();
    expect(content(await readBeside(setting, `${'<div>'.repeat(20_000)}${words}`))).toBe(words);
  });

  test('that takes the parser very long is given up and read as bare text', async () => {
    const { setting, workerClock, giveUp } = await impatientSetting();
    // Not deep enough to be noticed, and slow for its many branches: it takes more than ten seconds.
    const branch = `${'<span>'.repeat(190)}x ${'</span>'.repeat(190)}`;
    const output = await readBeside(setting, `<p>${words}</p>${branch.repeat(1000)}`, { meanwhile: giveUp });
    expect(output.isError).toBe(false);
    expect(output.forLlm).toContain('[The page could not be taken apart: this is the bare text of its beginning,');
    expect(output.forLlm).toContain(words);
    // A kept process waits for more.
    expect(workerClock.waits.filter((wait) => wait !== 120_000)).toEqual([]);
  });

  test('that is given up holds up nobody while its bare text is read', async () => {
    const { setting, giveUp } = await impatientSetting();
    const output = await readBeside(setting, '<b> '.repeat(900_000), { meanwhile: giveUp });
    expect(output.isError).toBe(false);
  });

  test('with a title of megabytes is called by the beginning of it', () => {
    const html = `<html><head><title>${'t'.repeat(3_000_000)}</title></head><body><p>${words}</p></body></html>`;
    const page = readHtml({ body: Buffer.from(html), url: 'https://example.com/' });
    expect(page).toEqual({ title: 't'.repeat(500), text: words });
  });

  test.each(['text/html', 'text/plain'])('in a charset that is slow to decode holds up nobody as %s', async (type) => {
    const setting = await webFetchSetting({ maxBytes: 10_485_760 });
    const body = Buffer.concat([Buffer.from('<html><p>'), Buffer.alloc(10_000_000, 0xff)]);
    const output = await readBeside(setting, body, { type: `${type}; charset=shift_jis` });
    expect(output.isError).toBe(false);
  });

  const monotonous = [
    ['unfinished comments', '<!--'.repeat(200_000)],
    ['unfinished tags', '<a b="'.repeat(200_000)],
    ['brackets', '<'.repeat(10_000)],
    ['unfinished scripts', '<script>'.repeat(100_000)],
    ['attributes', `<p ${'style hidden '.repeat(100_000)}>`],
    ['tables in tables', '<table><tr><td>'.repeat(10_000)],
    ['spaces', `<p>a${' '.repeat(1_000_000)}b</p>`],
  ] as const;

  test.each(monotonous)('of nothing but %s is read, and holds up nobody', async (_, body) => {
    const setting = await webFetchSetting();
    const output = await readBeside(setting, body);
    expect(output.isError).toBe(false);
  });
});

describe('what a person does not see on a page', () => {
  const hidden = [
    ...listed`
      <script>EVIL</script> ¦ <style>EVIL</style> ¦ <template>EVIL</template>
      ¦ <!-- EVIL --> ¦ <p hidden>EVIL</p> ¦ <p style="color: red; display : none">EVIL</p>
      ¦ <p style="visibility:hidden">EVIL</p> ¦ <p style="opacity: 0">EVIL</p> ¦ <p style="font-size:0px">EVIL</p>
      ¦ <p style="position:absolute; left:-9999px">EVIL</p> ¦ <p style="text-indent: -1000em">EVIL</p>
      ¦ <p style="height:0;overflow:hidden">EVIL</p> ¦ <div aria-hidden="true">a<div>EVIL</div></div>
      ¦ <P STYLE="DISPLAY:NONE">EVIL</P> ¦ <p HIDDEN>EVIL</p> ¦ <p Style="display:none" style="display:block">EVIL</p>
      ¦ <p style="d\69splay:/* a */none">EVIL</p> ¦ <p style="color: transparent">EVIL</p>
      ¦ <p style="color: rgba(0, 0, 0, 0)">EVIL</p> ¦ <p style="opacity:.01">EVIL</p>
      ¦ <p style="font-size:1px">EVIL</p> ¦ <p style="position:absolute;left:-99em">EVIL</p>
      ¦ <p style="clip-path:inset(100%)">EVIL</p> ¦ <p style="transform:scale(0)">EVIL</p>
      ¦ <p style="width:1px;height:1px;overflow:hidden">EVIL</p> ¦ <div popover>EVIL</div>
      ¦ <datalist><option>EVIL</option></datalist> ¦ <video>EVIL</video> ¦ <noframes>EVIL</noframes>
      ¦ <textarea>EVIL</textarea> ¦ <select><option>EVIL</option></select> ¦ <svg><text>EVIL</text></svg>
      ¦ <iframe srcdoc="EVIL">EVIL</iframe> ¦ <input value="EVIL"> ¦ <a href="data:text/plain,EVIL">here</a>
      ¦ <a href="javascript:EVIL()">there</a> ¦ <img src="data:image/png;base64,EVIL" alt="a harbour">`,
    `<p style="/*${'a'.repeat(6000)}*/display:none">EVIL</p>`,
    '<p>E\u200bV\u200bI\u200bL</p>'.replace('E', ''),
  ];
  // Read where a page that is built by scripts has little else: see odd-pages.test.ts.
  const article = `<html><head><title>Harbour</title><meta name="description" content="EVIL"></head><body><article><h1>Harbour</h1>${`<p>${words}</p>`.repeat(8)}${hidden.join('')}<noscript>EVIL</noscript><p>The end.</p></article></body></html>`;

  test('is not read, whether the page is an article or not', async () => {
    const { of } = await webFetchSetting();
    const list = `<html><body><ul><li>one</li></ul>${hidden.join('')}<p>The end.</p></body></html>`;
    for (const body of [article, list, `${'<div>'.repeat(300)}${list}`]) {
      const { forLlm } = await of({ body });
      expect(forLlm).toContain('The end.');
      expect(forLlm).not.toContain('EVIL');
      expect(forLlm).toContain('VIL');
      expect(forLlm).not.toContain('\u200b');
    }
  });

  test('is not taken for hidden when it is seen', async () => {
    const { of } = await webFetchSetting();
    const seen = listed`
      opacity: 0.5 ¦ opacity: inherit ¦ font-size: 0.9em ¦ font-size: large ¦ left: -1px ¦ height: 0.5em
      ¦ min-height: 0 ¦ line-height: 1 ¦ display: block ¦ color: rgb(255, 0, 0) ¦ background-color: transparent
      ¦ backface-visibility: hidden ¦ transform: scale(0.5)`;
    const body = `<ul>${seen.map((style, index) => `<li style="${style}">seen ${index}</li>`).join('')}<li aria-hidden="false">seen ${seen.length}</li></ul>`;
    for (const page of [body, `${'<div>'.repeat(300)}${body}`]) {
      expect((await of({ body: page })).forLlm.match(/seen \d+/g)).toHaveLength(seen.length + 1);
    }
  });
});

describe('an article', () => {
  test('is read as markdown, with its author and date, absolute links and without the frame of the site', async () => {
    const { of, origin } = await webFetchSetting();
    const { forLlm } = await of({
      body: `<html><head><title>Harbours</title><base href="/north/"><meta name="author" content="Ada Byron"><meta property="article:published_time" content="2026-01-02"></head>
<body><nav><a href="/">Home</a></nav><article><h1>Harbours</h1>${`<p>${words}</p>`.repeat(6)}<h2>Ferries</h2>
<p>See <a href="ferries (old).html">the <b>list</b></a> or <a href="#top">above</a>. <img src="/a.png" alt="A [red] ferry"></p>
<ul><li>one</li><li>two</li></ul><pre><code class="language-js">if (a < b) {\n  c();\n}</code></pre>
<table><tr><th>Name</th><th>Year</th></tr><tr><td>a|b</td><td>1874</td></tr></table></article><footer>Imprint</footer></body></html>`,
    });
    expect(forLlm).toMatch(/^\["Harbours", http:\S+ status 200, web page, page 1 of 1\]\nAda Byron · 2026-01-02\n\n/);
    for (const part of [
      '## Ferries',
      `See [the **list**](${origin}/north/ferries%20%28old%29.html) or above. [image: A red ferry]`,
      /-\s+one\n-\s+two/,
      '```js\nif (a < b) {\n  c();\n}\n```',
      /\| Name +\| Year +\|\n\| -+ \| -+ \|\n\| a\\\|b +\| 1874 +\|/,
    ]) {
      expect(forLlm).toEqual(typeof part === 'string' ? expect.stringContaining(part) : expect.stringMatching(part));
    }
    expect(forLlm).not.toMatch(/Home|Imprint/);
  });

  test('that is none is read whole, without the navigation', async () => {
    const { of, origin } = await webFetchSetting();
    const items = Array.from(
      { length: 30 },
      (_, index) => `<li><a href="/item/${index}">Item number ${index}</a></li>`,
    );
    const { forLlm } = await of({ body: `<html><body><nav>Menu</nav><ul>${items.join('')}</ul></body></html>` });
    expect(forLlm).toContain(`[Item number 29](${origin}/item/29)`);
    expect(forLlm).not.toContain('Menu');
  });
});
