import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { readDocumentBytes } from '../../../../src/tools/builtin/documents/read-document-bytes.ts';
import {
  chapter,
  epubFile,
  mail,
  notebook,
  odfContent,
  odfFile,
  pptxFile,
  shape,
} from '../../../support/document-files.ts';
import { zipFile } from '../../../support/zip-file.ts';

async function read(content: string | Buffer) {
  const reading = await readDocumentBytes(Buffer.from(content));
  if (reading.type === 'refused') throw new Error(`refused: ${reading.message}`);
  return reading.document;
}

async function textOf(content: string | Buffer): Promise<string> {
  return (await read(content)).text;
}

async function refusalOf(content: string | Buffer): Promise<string> {
  const reading = await readDocumentBytes(Buffer.from(content));
  return reading.type === 'refused' ? reading.message : `read: ${reading.document.text}`;
}

describe('a PowerPoint presentation', () => {
  test('is read slide by slide, in the order of the show, with lists and notes', async () => {
    const slides = [
      { shapes: shape(['Second'], 'title') + shape(['a box']) },
      {
        shapes: shape(['季度报告 &amp; 計画'], 'ctrTitle') + shape(['by Ada'], 'subTitle') + shape(['one', 'two'], ''),
        notes: shape(['Say hello.', 'Then wait.'], 'body') + shape(['7'], 'sldNum') + shape([''], 'sldImg'),
      },
    ];
    expect(await read(pptxFile(slides, {}, [1, 0]))).toMatchObject({
      kind: 'PowerPoint presentation',
      text: [
        '## Slide 1',
        '### 季度报告 & 計画',
        'by Ada',
        '- one\n- two',
        'Notes:',
        '- Say hello.\n- Then wait.',
        '## Slide 2',
        '### Second',
        'a box',
      ].join('\n\n'),
    });
  });

  test('shows tables, pictures, diagrams, charts and levels', async () => {
    const cell = (text: string) => `<a:tc><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`;
    const table = `<p:graphicFrame><a:tbl><a:tr>${cell('Item')}${cell('Price')}</a:tr><a:tr>${cell('a|b')}${cell('5 €')}</a:tr></a:tbl></p:graphicFrame>`;
    const levels = `<p:sp><p:nvSpPr><p:nvPr><p:ph idx="1"/></p:nvPr></p:nvSpPr><a:p><a:t>top</a:t></a:p><a:p><a:pPr lvl="1"/><a:t>be</a:t><a:t>low</a:t></a:p></p:sp>`;
    const picture = '<p:pic><p:nvPicPr><p:cNvPr id="4" name="p" descr="a  cat"/></p:nvPicPr></p:pic>';
    const text = await textOf(
      pptxFile(
        [
          {
            shapes: table + levels + picture,
            refersTo: [
              { id: 'd', kind: 'diagramData', target: '../diagrams/d.xml' },
              { id: 'c', kind: 'chart', target: '../charts/c.xml' },
            ],
          },
        ],
        {
          'ppt/diagrams/d.xml':
            '<dgm:dataModel><dgm:pt><dgm:t><a:p><a:r><a:t>Plan</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt><dgm:t><a:p><a:t>Do</a:t></a:p></dgm:t></dgm:pt></dgm:dataModel>',
          'ppt/charts/c.xml': '<c:chartSpace><c:title><a:p><a:t>Sales</a:t></a:p></c:title></c:chartSpace>',
        },
      ),
    );
    expect(text).toBe(
      '## Slide 1\n\n| Item | Price |\n| --- | --- |\n| a\\|b | 5 € |\n\n- top\n  - below\n\n[image: a cat]\n\nPlan\n\nDo\n\n[chart: Sales]',
    );
  });

  test('leaves out shapes and groups that are switched off, and says which slide is hidden', async () => {
    const off = shape(['orders'], undefined, ' hidden="1"');
    const group = `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="3" name="g" hidden="true"/></p:nvGrpSpPr>${shape(['more orders'])}</p:grpSp>`;
    const copy =
      '<mc:AlternateContent><mc:Fallback><p:sp><a:p><a:t>twice</a:t></a:p></p:sp></mc:Fallback></mc:AlternateContent>';
    const text = await textOf(pptxFile([{ shapes: off + group + copy + shape(['seen']), isHidden: true }]));
    expect(text).toBe('## Slide 1 (hidden)\n\nseen');
  });

  test('with slides that are missing is read without them, and without any it is broken', async () => {
    const file = pptxFile([{ shapes: shape(['one']) }], {}, [0, 5]);
    expect(await textOf(file)).toBe('## Slide 1\n\none\n\n## Slide 2');
    expect(await refusalOf(pptxFile([]))).toBe('The document is broken: it has no slides that can be read.');
  });

  test('takes the relation of a slide whatever the order of its attributes', async () => {
    const list = '<p:presentation><p:sldIdLst><p:sldId r:id="r0" id="256"/></p:sldIdLst></p:presentation>';
    expect(await textOf(pptxFile([{ shapes: shape(['one']) }], { 'ppt/presentation.xml': list }))).toContain('one');
  });
});

describe('an OpenDocument text', () => {
  test('is read with headings, lists, tables, links, looks and notes', async () => {
    const styles = [
      '<style:style style:name="B"><style:text-properties fo:font-weight="bold"/></style:style>',
      '<style:style style:name="I"><style:text-properties fo:font-style="italic"/></style:style>',
      '<text:list-style style:name="N"><text:list-level-style-number text:level="1"/></text:list-style>',
    ].join('');
    const item = (text: string, inner = '') => `<text:list-item><text:p>${text}</text:p>${inner}</text:list-item>`;
    const row = (...cells: string[]) =>
      `<table:table-row>${cells.map((cell) => `<table:table-cell><text:p>${cell}</text:p></table:table-cell>`).join('')}</table:table-row>`;
    const text = await textOf(
      odfFile(
        'text',
        [
          '<text:h text:outline-level="2">报告 章</text:h>',
          '<text:p><text:span text:style-name="B">bold</text:span> and <text:span text:style-name="I">leaning</text:span>,<text:s text:c="2"/>see <text:a xlink:href="https://example.com/">here</text:a><text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>a source</text:p></text:note-body></text:note></text:p>',
          `<text:list text:style-name="N">${item('one', `<text:list>${item('inner')}</text:list>`)}${item('two')}</text:list>`,
          `<table:table>${row('a', 'b')}${row('1', '2')}</table:table>`,
          '<text:p><draw:frame><draw:image/><svg:title>a cat</svg:title></draw:frame></text:p>',
        ].join(''),
        { styles },
      ),
    );
    const plain = text.replace(/ +/g, ' ').replace(/-+/g, '-');
    expect(plain).toContain('## 报告 章');
    expect(plain).toContain('**bold** and _leaning_, see [here](https://example.com/) (note: a source)');
    expect(plain).toMatch(/1\. one\n\s+- inner\n2\. two/);
    expect(plain).toMatch(/\| a \| b \|\n\| - \| - \|\n\| 1 \| 2 \|/);
    expect(plain).toContain('[image: a cat]');
  });

  test('is read without what is deleted, hidden or a comment', async () => {
    const styles = '<style:style style:name="H"><style:text-properties text:display="none"/></style:style>';
    const body = [
      '<text:tracked-changes><text:changed-region><text:deletion><text:p>deleted orders</text:p></text:deletion></text:changed-region></text:tracked-changes>',
      '<text:p>seen<office:annotation><text:p>comment orders</text:p></office:annotation></text:p>',
      '<text:p text:style-name="H">hidden orders</text:p>',
      '<text:p>also <text:span text:style-name="H">more orders</text:span>seen</text:p>',
      '<text:section text:display="none"><text:p>section orders</text:p></text:section>',
      '<text:p><text:hidden-text text:string-value="orders">orders</text:hidden-text>.</text:p>',
    ];
    expect(await textOf(odfFile('text', body.join(''), { styles }))).toBe('seen\n\nalso seen\n\n.');
  });

  test('in one XML file is read like one in an archive, with its title', async () => {
    const flat = odfContent('text', '<text:p>hello</text:p>', '', 'document');
    expect(await read(flat)).toMatchObject({ kind: 'OpenDocument text', text: 'hello' });
    const more = { 'meta.xml': '<office:meta><dc:title>The plan</dc:title></office:meta>' };
    expect(await read(odfFile('text', '<text:p>x</text:p>', { more }))).toMatchObject({ title: 'The plan' });
  });

  test('that is encrypted or broken says so', async () => {
    const manifest = '<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>';
    const locked = odfFile('text', '', { more: { 'META-INF/manifest.xml': manifest } });
    expect(await refusalOf(locked)).toContain('encrypted');
    expect(await refusalOf(zipFile({ 'content.xml': 'nothing' }))).toContain('broken');
  });
});

describe('an OpenDocument spreadsheet', () => {
  test('is read as tables, with stored numbers, days, and what other cells show', async () => {
    const text = (words: string, more = '') => `<table:table-cell ${more}><text:p>${words}</text:p></table:table-cell>`;
    const rows = [
      `<table:table-row>${text('品名')}${text('Price')}${text('When')}</table:table-row>`,
      `<table:table-row>${text('a|b')}${text('1.23E+19', 'office:value-type="float" office:value="12345678901234567890"')}${text('15.03.23', 'office:value-type="date" office:date-value="2023-03-15"')}</table:table-row>`,
      `<table:table-row>${text('c<office:annotation><text:p>orders</text:p></office:annotation>')}${text('25 %', 'office:value-type="percentage" office:value="0.25"')}<table:table-cell/></table:table-row>`,
    ];
    const body = `<table:table table:name="Q1">${rows.join('')}</table:table><table:table table:name="Empty"/>`;
    expect(await read(odfFile('spreadsheet', body))).toMatchObject({
      kind: 'OpenDocument spreadsheet',
      text: '## Q1\n\n| 品名 | Price | When |\n| --- | --- | --- |\n| a\\|b | 12345678901234567890 | 2023-03-15 |\n| c | 25 % |  |\n\n## Empty\n\n(empty)',
    });
  });

  test('is read where cells and rows are repeated, but not to the end of the sheet', async () => {
    const cell = (words: string, times: number) =>
      `<table:table-cell table:number-columns-repeated="${times}"><text:p>${words}</text:p></table:table-cell>`;
    const body = [
      '<table:table table:name="S">',
      `<table:table-row>${cell('x', 2)}<table:table-cell table:number-columns-repeated="16000"/></table:table-row>`,
      `<table:table-row table:number-rows-repeated="2">${cell('y', 1)}<table:table-cell/>${cell('z', 1)}</table:table-row>`,
      `<table:table-row table:number-rows-repeated="1048570">${cell('end', 1_000_000)}</table:table-row>`,
      '<table:table-row table:number-rows-repeated="1048570"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>',
      '</table:table>',
    ];
    expect(await textOf(odfFile('spreadsheet', body.join('')))).toBe(
      '## S\n\n| x | x |  |\n| --- | --- | --- |\n| y |  | z |\n| y |  | z |\n| end |  |  |',
    );
  });

  test('whose cells are merged shows them in the first', async () => {
    const body =
      '<table:table table:name="S"><table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>a</text:p><text:p>b</text:p></table:table-cell><table:covered-table-cell><text:p>old</text:p></table:covered-table-cell><table:table-cell><text:p>c</text:p></table:table-cell></table:table-row></table:table>';
    expect(await textOf(odfFile('spreadsheet', body))).toBe('## S\n\n| a b |  | c |\n| --- | --- | --- |');
  });

  test('in one XML file is read as well', async () => {
    const body =
      '<table:table table:name="S"><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row></table:table>';
    expect(await textOf(odfContent('spreadsheet', body, '', 'document'))).toBe('## S\n\n| a |\n| --- |');
  });
});

describe('an OpenDocument presentation', () => {
  test('is read slide by slide, with its notes', async () => {
    const frame = (role: string, text: string) =>
      `<draw:frame presentation:class="${role}"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`;
    const list =
      '<draw:frame presentation:class="outline"><draw:text-box><text:list><text:list-item><text:p>a</text:p></text:list-item><text:list-item><text:p>b</text:p></text:list-item></text:list></draw:text-box></draw:frame>';
    const body = [
      `<draw:page>${frame('title', '標題')}${list}${frame('page-number', '1')}<presentation:notes>${frame('page', 'x')}${frame('notes', 'Say hi.')}</presentation:notes></draw:page>`,
      `<draw:page>${frame('title', 'End')}</draw:page>`,
    ];
    const { kind, text } = await read(odfFile('presentation', body.join('')));
    expect(kind).toBe('OpenDocument presentation');
    expect(text.replace(/- +/g, '- ')).toBe('## Slide 1\n\n標題\n\n- a\n- b\n\nNotes:\n\nSay hi.\n\n## Slide 2\n\nEnd');
  });
});

describe('an EPUB book', () => {
  test('is read in the order of its spine, with title and author', async () => {
    const file = epubFile({
      'text/第一章.xhtml': chapter('<h1>第一章</h1><p>很久<b>以前</b>…</p>'),
      'two.xhtml': chapter('<h1>Two</h1><p>The <a id="x"/>end.</p><img src="a.png" alt="a map"/>'),
    });
    expect(await read(file)).toMatchObject({
      kind: 'EPUB book',
      title: 'A book',
      text: 'By Ada L.\n\n# 第一章\n\n很久**以前**…\n\n# Two\n\nThe end.\n\n[image: a map]',
    });
  });

  test('is read without what it hides, and tells of missing chapters', async () => {
    const file = epubFile({ 'a.xhtml': chapter('<p>seen</p><p style="display:none">orders</p>'), 'b.xhtml': '' });
    expect(await read(file)).toMatchObject({
      text: 'By Ada L.\n\nseen',
      note: '1 of 2 chapters are missing in the file.',
    });
  });

  test('in another charset is read in it', async () => {
    const text =
      '<?xml version="1.0" encoding="gb2312"?><html><body><p>中文内容在这里，编码是旧的国标。</p></body></html>';
    expect(await textOf(epubFile({ 'a.html': iconv.encode(text, 'gbk') }))).toContain('中文内容在这里');
    const wide = Buffer.from(`\ufeff${text.replace('gb2312', 'utf-16')}`, 'utf16le');
    expect(await textOf(epubFile({ 'a.html': wide }))).toContain('中文内容在这里');
  });

  test('that is protected, empty or broken says so; encrypted fonts do not matter', async () => {
    const locks = (path: string) => ({
      'META-INF/encryption.xml': `<encryption><EncryptedData><CipherData><CipherReference URI="${path}"/></CipherData></EncryptedData></encryption>`,
    });
    expect(await refusalOf(epubFile({ 'a.xhtml': chapter('x') }, locks('OEBPS/a.xhtml')))).toContain('DRM');
    expect(await textOf(epubFile({ 'a.xhtml': chapter('x') }, locks('OEBPS/font.otf')))).toContain('x');
    expect(await refusalOf(epubFile({ 'a.xhtml': chapter('<img src="1.jpg"/>') }))).toContain('no text');
    expect(await refusalOf(epubFile({}))).toContain('The book is broken');
  });
});

describe('a mail', () => {
  const head = ['From: Ada <ada@example.com>', 'To: bob@example.com', 'Date: Mon, 2 Nov 2026 09:00:00 +0100'];
  const words = ['From: Ada <ada@example.com>', 'To: bob@example.com', 'Date: Mon, 2 Nov 2026 09:00:00 +0100'];

  test('is read with who wrote when to whom, and with its subject as the title', async () => {
    expect(await read(mail(...head, 'Subject: Hello', '', 'How are you?', ''))).toMatchObject({
      kind: 'mail',
      title: 'Hello',
      text: [...words, 'Subject: Hello\n\nHow are you?'].join('\n'),
    });
  });

  test.each([
    ['=?UTF-8?B?5Lit5paH?=', '中文'],
    ['=?utf-8?Q?Caf=C3=A9_au_lait?=', 'Café au lait'],
    ['=?gb2312?B?1tDOxA==?=', '中文'],
    ['=?GBK?Q?=D6=D0=CE=C4?= rest', '中文 rest'],
    ['=?iso-2022-jp?B?GyRCRnxLXDhsGyhC?=', '日本語'],
    ['=?Shift_JIS?B?k/qWe4zq?=', '日本語'],
    ['=?euc-kr?B?x9Gxub7u?=', '한국어'],
    ['=?big5?B?pKSk5Q==?=', '中文'],
    ['=?koi8-r?B?8NLJ18XU?=', 'Привет'],
    ['=?iso-8859-1?Q?Gr=FC=DFe?=', 'Grüße'],
    // Cut within a character, as some programs do.
    ['=?UTF-8?B?5Lit5g==?=\r\n =?UTF-8?B?lofjgII=?=', '中文。'],
    ['=?UTF-8?Q?a?= =?UTF-8?Q?b?= c', 'ab c'],
    ['=?utf-8*en?Q?language?=', 'language'],
    ['=?x-unknown?Q?abc?=', 'abc'],
    ['a =?broken', 'a =?broken'],
    ['folded\r\n\tline', 'folded line'],
  ])('has the subject %s', async (subject, title) => {
    expect((await read(mail(...head, `Subject: ${subject}`, '', 'x'))).title).toBe(title);
  });

  test.each([
    ['utf-8', '8bit', Buffer.from('价格：五元')],
    ['gb2312', '8bit', iconv.encode('你好，明天九点在办公室见面，请带上合同。价格：五元', 'gbk')],
    ['us-ascii', '8bit', iconv.encode('你好，明天九点在办公室见面，请带上合同。价格：五元', 'gbk')],
    ['', '8bit', iconv.encode('你好，明天九点在办公室见面，请带上合同。价格：五元', 'gbk')],
    ['utf-8', 'base64', Buffer.from(Buffer.from('价格：五元').toString('base64'))],
    ['utf-8', 'quoted-printable', Buffer.from('=E4=BB=B7=E6=A0=BC=EF=BC=9A=\r\n=E4=BA=94=E5=85=83')],
    ['utf-8', 'BASE64', Buffer.from('5Lu35qC8\r\n77ya5LqU\r\n5YWD')],
  ])('has a text in %s, sent as %s', async (charset, encoding, body) => {
    const type = charset === '' ? [] : [`Content-Type: text/plain; charset="${charset}"`];
    const start = mail(...head, 'Subject: x', ...type, `Content-Transfer-Encoding: ${encoding}`, '', '');
    expect(await textOf(Buffer.concat([Buffer.from(start), body]))).toContain('价格：五元');
  });

  test('with raw Chinese headers is read, though no standard allows them', async () => {
    const raw = iconv.encode(mail('From: 张三 <a@b.cn>', 'Subject: 会议通知：明天下午三点', '', '内容'), 'gbk');
    expect((await read(raw)).title).toBe('会议通知：明天下午三点');
  });

  test('of several parts is read as people see it, and its attachments are named', async () => {
    const text = await textOf(
      mail(
        ...head,
        'Subject: Report',
        'MIME-Version: 1.0',
        'Content-Type: multipart/mixed; boundary="=_a b"',
        '',
        'This is a multi-part message.',
        '--=_a b',
        'Content-Type: multipart/alternative; boundary=inner',
        '',
        '--inner',
        'Content-Type: text/plain',
        '',
        'Your program shows no HTML.',
        '--inner',
        'Content-Type: text/html; charset=utf-8',
        '',
        '<p>Hello <b>Bob</b></p><table><tr><td>a</td><td>1</td></tr></table><div style="display:none">orders</div>',
        '--inner--',
        '--=_a b',
        'Content-Type: application/pdf; name="=?UTF-8?B?5oql5ZGKLnBkZg==?="',
        'Content-Transfer-Encoding: base64',
        'Content-Disposition: attachment',
        '',
        'AAAA',
        '--=_a b',
        "Content-Disposition: attachment; filename*0*=utf-8''%E6%8A%A5; filename*1*=%E5%91%8A; filename*2=.txt",
        'Content-Type: text/plain',
        '',
        'secret',
        '--=_a b--',
      ),
    );
    expect(text).toContain('Hello **Bob**');
    expect(text).not.toContain('Your program shows no HTML.');
    expect(text).not.toContain('orders');
    expect(text).toContain('- 报告.pdf (application/pdf, 3 bytes)\n- 报告.txt (text/plain, 6 bytes)');
    expect(text).not.toContain('secret');
  });

  test('in a mail is read behind it', async () => {
    const text = await textOf(
      mail(
        ...head,
        'Subject: Fwd',
        'Content-Type: multipart/mixed; boundary=x',
        '',
        '--x',
        '',
        'See below.',
        '--x',
        'Content-Type: message/rfc822',
        '',
        'From: Carl <c@example.com>',
        'Subject: The first',
        '',
        'Original words.',
        '--x--',
      ),
    );
    expect(text).toMatch(
      /See below\.\n\n--- A mail in this mail:\n\nFrom: Carl <c@example.com>\s+Subject: The first\n\nOriginal words\./,
    );
  });

  test('that is cut off or encrypted says so', async () => {
    const cut = mail(...head, 'Content-Type: multipart/mixed; boundary=x', '', '--x', '', 'The beginning');
    expect(await read(cut)).toMatchObject({ note: 'The end of the mail is missing.' });
    expect((await read(cut)).text).toContain('The beginning');
    const locked = mail(...head, 'Content-Type: multipart/encrypted; boundary=x', '', '--x', '', 'AAA', '--x--');
    expect((await read(locked)).note).toContain('encrypted');
    const smime = mail(...head, 'Content-Type: application/pkcs7-mime; smime-type=enveloped-data', '', 'AAA');
    expect((await read(smime)).note).toContain('encrypted');
  });

  test('that nests parts without an end is read in linear time, to a depth', async () => {
    const levels = Array.from({ length: 3000 }, (_, index) => [
      `Content-Type: multipart/mixed; boundary=b${index}`,
      '',
      `--b${index}`,
    ]).flat();
    expect(await read(mail(...head, ...levels, '', 'deep'))).toMatchObject({ kind: 'mail' });
    const many = Array.from({ length: 20_000 }, () => ['--x', '', 'a']).flat();
    const { text } = await read(mail(...head, 'Content-Type: multipart/mixed; boundary=x', '', ...many, '--x--'));
    expect(text.length).toBeLessThan(20_000);
  });

  test('of a mailbox is one of several', async () => {
    const one = (name: string) =>
      mail(`From ${name}@x Mon Nov  2 09:00:00 2026`, ...head, `Subject: ${name}`, '', `Words of ${name}`, '', '');
    const { kind, text } = await read(one('ada') + one('bob'));
    expect(kind).toBe('mailbox');
    expect(text).toMatch(/## Mail 1 of 2[\s\S]*Words of ada[\s\S]*## Mail 2 of 2[\s\S]*Words of bob/);
  });

  test('of a saved page is that page', async () => {
    const page = mail(
      'From: <Saved by Blink>',
      'Snapshot-Content-Location: https://example.com/news',
      'Subject: =?utf-8?Q?News?=',
      'MIME-Version: 1.0',
      'Content-Type: multipart/related; type="text/html"; boundary="----x"',
      '',
      '------x',
      'Content-Type: text/html',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      '<html><body><h1>N=C3=A9ws</h1><p>First</p></body></html>',
      '------x',
      'Content-Type: image/png',
      'Content-Location: a.png',
      '',
      'AAAA',
      '------x--',
    );
    expect(await read(page)).toMatchObject({
      kind: 'web archive',
      title: 'News',
      text: 'https://example.com/news\n\n# Néws\n\nFirst',
    });
  });

  test.each([
    'Note: this is a list\nFrom: nobody\n',
    'To whom it may concern,\n\nplease read: this.',
    'name: ada\nversion: 1\n\nfrom: here\nto: there\n',
    'Date: today\nSubject and other things\n\ntext',
  ])('is not what only resembles one: %j', async (content) => {
    expect((await read(content)).kind).not.toBe('mail');
  });
});

describe('a Jupyter notebook', () => {
  test('is read with its texts, code and outputs; pictures are named', async () => {
    const text = await textOf(
      notebook([
        { cell_type: 'markdown', source: ['# 分析\n', 'of data'] },
        {
          cell_type: 'code',
          source: 'print("a")\nplot()',
          outputs: [
            { output_type: 'stream', name: 'stdout', text: ['a\n'] },
            { output_type: 'display_data', data: { 'image/png': 'AAAAAAAA', 'text/plain': '<Figure 1>' } },
            { output_type: 'execute_result', data: { 'text/plain': ['   x\n', '0  1'], 'text/html': '<table/>' } },
          ],
        },
        {
          cell_type: 'code',
          source: '1/0',
          outputs: [
            {
              output_type: 'error',
              ename: 'ZeroDivisionError',
              evalue: 'x',
              traceback: ['\u001b[0;31mZeroDivisionError\u001b[0m: x'],
            },
          ],
        },
        { cell_type: 'raw', source: 'raw ``` words' },
        { cell_type: 'code', source: '', outputs: [] },
      ]),
    );
    expect(text).toBe(
      [
        '# 分析\nof data',
        '```python\nprint("a")\nplot()\n```',
        'Output:',
        '```\na\n```',
        '[picture: png, 6 bytes]',
        'Output:',
        '```\n   x\n0  1\n```',
        '```python\n1/0\n```',
        'Error:',
        '```\nZeroDivisionError: x\n```',
        '````\nraw ``` words\n````',
      ].join('\n\n'),
    );
  });

  test('of the older format is read as well', async () => {
    const old = {
      nbformat: 3,
      worksheets: [
        {
          cells: [
            { cell_type: 'heading', level: 2, source: ['Old'] },
            {
              cell_type: 'code',
              input: ['x = 1'],
              outputs: [
                { output_type: 'pyout', text: ['1'] },
                { output_type: 'pyerr', ename: 'E', evalue: 'v' },
              ],
            },
          ],
        },
      ],
    };
    expect(await textOf(JSON.stringify(old))).toBe(
      '## Old\n\n```\nx = 1\n```\n\nOutput:\n\n```\n1\n```\n\nError:\n\n```\nE: v\n```',
    );
  });

  test('with an endless output shows its beginning and end', async () => {
    const outputs = [{ output_type: 'stream', text: `first ${'x'.repeat(50_000)} last` }];
    const text = await textOf(notebook([{ cell_type: 'code', source: 'go()', outputs }]));
    expect(text).toMatch(/first x+\n\[… 40011 characters left out …\]\nx+ last/);
  });

  test.each(['{"cells": [], "name": 1}', '{"nbformat": 4', '{"nbformat": 4, "metadata": {}}', '["nbformat"]'])(
    'is not what only resembles one: %s',
    async (content) => {
      expect((await read(content)).kind).not.toBe('Jupyter notebook');
    },
  );
});

describe('a Rich Text document', () => {
  test.each([
    [
      '{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}{\\*\\generator x;}\\f0 Hello \\b world\\b0\\par Second\\line third\\par}',
      'Hello world\n\nSecond\nthird',
    ],
    ["{\\rtf1\\ansi\\ansicpg936 \\'c4\\'e3\\'ba\\'c3\\par}", '你好'],
    [
      "{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0\\fnil Arial;}{\\f1\\fnil\\fcharset134 SimSun;}}{\\f1 \\'d6\\'d0\\'ce\\'c4}{\\f0 caf\\'e9}}",
      '中文café',
    ],
    ['{\\rtf1\\ansi\\uc1\\u20013?\\u25991? \\u-10179?\\u-8704?}', '中文 😀'],
    ["{\\rtf1\\ansi\\uc2\\u20013\\'d6\\'d0 x}", '中 x'],
    ['{\\rtf1\\ansi seen{\\v hidden orders}\\v orders\\v0  again}', 'seen again'],
    ['{\\rtf1\\ansi a\\~b \\{c\\} \\\\d \\emdash{\\pict\\pngblip 89504e47}\\par}', 'a b {c} \\d —'],
    ['{\\rtf1\\ansi a\\cell b\\cell\\row c\\cell d\\cell\\row}', 'a | b\nc | d'],
    [
      '{\\rtf1{\\field{\\*\\fldinst HYPERLINK "http://x"}{\\fldrslt the link}}{\\header top}{\\*\\unknown y}.}',
      'the link.',
    ],
  ])('%s is read', async (source, text) => {
    expect(await read(source)).toMatchObject({ kind: 'Rich Text document', text });
  });

  test('without text says so, and one that is cut is read to its end', async () => {
    expect(await refusalOf('{\\rtf1\\ansi{\\pict 8950}}')).toContain('no text');
    expect(await textOf('{\\rtf1\\ansi{\\b begin')).toBe('begin');
  });
});

describe('a format that is not read', () => {
  const ole = (stream: string) =>
    Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(64), Buffer.from(stream, 'utf16le')]);
  test.each<[string, Buffer, string]>([
    [
      '.doc',
      ole('WordDocument'),
      'an old Word (.doc), which cannot be read as a document. Ask for it as .docx or PDF.',
    ],
    ['.xls', ole('Workbook'), 'an old Excel (.xls)'],
    ['.ppt', ole('PowerPoint Document'), 'Ask for it as .pptx or PDF.'],
    ['.msg', ole('__substg1.0_0037001F'), 'Ask for it as .eml'],
    ['.hwp', ole('HwpSummaryInformation'), 'Hangul'],
    ['.xlsb', zipFile({ 'xl/workbook.bin': 'x' }), 'binary Excel workbook'],
    ['.key', zipFile({ 'Index/Document.iwa': 'x' }), 'Apple Keynote, Pages or Numbers'],
    ['.hwpx', zipFile({ 'Contents/section0.xml': 'x' }), 'Hangul'],
    ['.mobi', Buffer.concat([Buffer.alloc(60), Buffer.from('BOOKMOBI'), Buffer.alloc(9)]), 'Kindle'],
    ['.djvu', Buffer.from('AT&TFORM\0\0'), 'DjVu'],
    ['.rar', Buffer.from('526172211a0700ff00', 'hex'), 'Unpack it'],
    ['.zip', zipFile({ 'a.txt': 'x' }), 'a zip archive, and no document'],
  ])('%s is named, with what to do', async (_name, content, said) => {
    expect(await refusalOf(content)).toContain(said);
  });
});
