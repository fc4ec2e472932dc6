import { expect, test } from 'vitest';
import { plainHtml } from '../../../../src/tools/builtin/web/plain-html.ts';

test('leaves the text, with a line for each block', () => {
  const html = `<!doctype html><html><head><title>A &amp; B</title><meta name=x content="y"></head>
<body><h1>Hi</h1><p title="a>b" data-x='<i>'>one<br/>two  <b>three</b></p><ul><li>a<li>b</ul>5 < 6 &#x1F600; &lt;b&gt; &unknown;</body></html>`;
  expect(plainHtml(html)).toEqual({
    title: 'A & B',
    text: 'Hi\n\none\ntwo three\n\na\nb\n5 < 6 😀 <b> &unknown;',
  });
});

test('leaves out what is hidden, and all within it', () => {
  const html = `a<div style='display:none'>x<div>y</div>z</div>b<script>if (a<b) "</div>"</script><!-- <p>c</p> --><p hidden>d<p>e</p>`;
  expect(plainHtml(html).text).toBe('a\n\nb');
  expect(plainHtml('<div aria-hidden=true>x</div><input hidden>seen<p class=hidden>too').text).toBe('seen\ntoo');
});

test('takes no end for content that does not end', () => {
  expect(plainHtml('a<!-- b').text).toBe('a');
  expect(plainHtml('a<b c="d>e').text).toBe('a');
  expect(plainHtml('a<script>b').text).toBe('a');
  expect(plainHtml('a<').text).toBe('a<');
  expect(plainHtml('')).toEqual({ title: '', text: '' });
});

test('takes no longer for spaces between tags than for letters', () => {
  const started = performance.now();
  expect(plainHtml(`a${'<b> '.repeat(125_000)}c`).text).toBe('a c');
  expect(performance.now() - started).toBeLessThan(2000);
});
