/**
 * Why little of a page can be read: it is built by a script, leads on, waits for a consent, a login or a person. A
 * person would see that at once; without a word, a model takes an empty page for an empty subject.
 */
import { parseJson } from '../../../lib/json.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import { plainHtml, walkHtml } from './plain-html.ts';

export interface PageState {
  /** What the page says otherwise: data in its scripts, or what it shows without scripts. */
  readonly text: string;
  /** One or more sentences for the reader. */
  readonly note: string;
  /** Where a browser goes on to within some seconds, by itself. */
  readonly leadsTo?: string | undefined;
}

/** A page with more text, in characters, needs no explanation. */
const enough = 250;
/** How much of the source is looked at, and of data in scripts, in characters. */
const mostSource = 1_000_000;
const mostData = 20_000;
/** A page that leads on later than this, in seconds, is meant to be read first. */
const shortDelay = 10;

/** Undefined for a page that has enough text of its own. */
export function pageState(source: string, text: string, url: string): PageState | undefined {
  if (text.trim().length >= enough) return undefined;
  const html = source.slice(0, mostSource);
  const parts = partsOf(html, url);
  const leadsTo = parts.refresh !== undefined && parts.refresh.delay <= shortDelay ? parts.refresh.target : undefined;
  const data = parts.data.flatMap(dataTexts).join('\n\n').slice(0, mostData).trim();
  // Beside content, people do not see what is meant for browsers without scripts.
  const isBare = text.trim().length < 40;
  const notes = [
    isCheck.test(`${text} ${html.slice(0, 20_000)}`) &&
      'The site first checks that a person is reading (a captcha or a check of the browser), and has not given the page itself.',
    parts.refresh !== undefined && `The page leads on to ${oneLine(parts.refresh.target, 1000)}: read that.`,
    parts.frames.length > 0 && `The page consists of frames. Read them: ${parts.frames.slice(0, 5).join(' , ')}`,
    parts.hasPassword && 'The page is a login: what it guards cannot be read without an account.',
    isConsent.test(text) && 'The page shows a question about cookies or consent instead of its content.',
  ].filter((note) => note !== false);
  if (data !== '')
    return { text: data, note: [...notes, 'Its text was taken from the data in its scripts.'].join(' '), leadsTo };
  if (
    notes.length === 0 &&
    parts.scripts > 0 &&
    (text.trim() === '' || parts.isApp || (isBare && parts.noscript !== ''))
  )
    notes.push('The page is built by JavaScript in a browser, so its content is not in what the server sends.');
  if (notes.length === 0 && text.trim() !== '') return undefined;
  if (notes.length === 0) notes.push('The page has no text: the server has sent nothing that a person could read.');
  const next =
    parts.refresh === undefined && parts.frames.length === 0
      ? [
          'Try another address of the same content (an API, a feed, a print version), a search, or ask the person for the text.',
        ]
      : [];
  return { text: isBare ? parts.noscript : '', note: [...notes, ...next].join(' '), leadsTo };
}

const isCheck =
  /just a moment\.\.\.|cf-chl|challenge-platform|cf_chl_opt|checking your browser|verify(?:ing)? (?:that )?you are (?:a )?human|g-recaptcha|h-captcha|hcaptcha\.com|请完成安全验证|滑动验证|人机验证/i;

const isConsent = /\bcookies?\b|\bconsent\b|einwilligung|zustimmen|隐私政策|cookie を/i;

/** What the source says besides its text. */
function partsOf(html: string, url: string) {
  let refresh: Refresh | undefined;
  const frames: string[] = [];
  const data: string[] = [];
  const parts = {
    frames,
    data,
    hasPassword: false,
    isApp: false,
    scripts: 0,
  };
  let [inside, held] = ['', ''];
  const absolute = (address: string): string | undefined => URL.parse(address.trim(), url)?.href;
  walkHtml(html, {
    text: (text) => {
      if (inside !== '') held += text;
    },
    open(name, attributes) {
      const attribute = (key: string): string => attributes.get(key) ?? '';
      if (name === 'meta' && attribute('http-equiv').toLowerCase() === 'refresh')
        refresh ??= readRefresh(attribute('content'), url);
      if (name === 'frame') parts.frames.push(...[absolute(attribute('src'))].filter((each) => each !== undefined));
      if (name === 'input' && attribute('type').toLowerCase() === 'password') parts.hasPassword = true;
      if (/^(?:root|app|__next|__nuxt)$/.test(attribute('id')) || name === 'app-root') parts.isApp = true;
      if (name === 'script') parts.scripts += 1;
      const isData = /ld\+json|^application\/json$/i.test(attribute('type')) || attribute('id') === '__NEXT_DATA__';
      if (name === 'script') [inside, held] = [isData ? 'data' : 'script', ''];
      if (name === 'noscript') [inside, held] = ['noscript', ''];
    },
    close(name) {
      if (name === 'script' && inside === 'data') parts.data.push(held);
      if (name === 'script' && inside === 'script') parts.data.push(...statesIn(held));
      if (name === 'script' || name === 'noscript') inside = '';
    },
  });
  const within = [...html.matchAll(/<noscript[^>]*>([\s\S]{0,5000}?)<\/noscript/gi)].map(([, body = '']) => body);
  return {
    ...parts,
    refresh,
    noscript: within
      .map((body) => plainHtml(body).text)
      .join('\n')
      .trim(),
  };
}

interface Refresh {
  readonly target: string;
  /** In seconds. */
  readonly delay: number;
}

/**
 * `0; url=/next`, as browsers read it (HTML, "shared declarative refresh steps"). Undefined if it loads the page itself
 * again, or leads to no page.
 */
function readRefresh(content: string, url: string): Refresh | undefined {
  const [, seconds = '', rest = ''] = /^\s*(\d*)[\d.]*(?:[\s;,]+(.*))?$/s.exec(content) ?? [];
  const [, quoted, bare = ''] = /^(?:url\s*=\s*)?(?:["']([^"']*)|(.*))/is.exec(rest) ?? [];
  const written = (quoted ?? bare).trim();
  const target = written === '' ? null : URL.parse(written, url);
  if (target === null || !/^https?:$/.test(target.protocol)) return undefined;
  const isItself = withoutFragment(target.href) === withoutFragment(url);
  return isItself ? undefined : { target: target.href, delay: Number(seconds) };
}

function withoutFragment(url: string): string {
  return url.replace(/#.*$/s, '');
}

/** `window.__INITIAL_STATE__ = {…}` and its like. */
function statesIn(script: string): readonly string[] {
  const found = /(?:__INITIAL_STATE__|__NUXT__|__APOLLO_STATE__|__PRELOADED_STATE__)\s*=\s*(\{[\s\S]*\})\s*;?\s*$/.exec(
    script.trim().split(/;\s*\(function/)[0] ?? '',
  );
  return found?.[1] === undefined ? [] : [found[1]];
}

/** The texts of JSON that people would read: sentences, not names and addresses. */
function dataTexts(json: string): readonly string[] {
  const texts: string[] = [];
  const meet = (value: unknown, depth: number): void => {
    if (typeof value === 'string') {
      if (value.length >= 12 && /[\s\u3000-\u9fff\uac00-\ud7af]/.test(value) && !/^(?:https?:|data:|\/)/.test(value))
        texts.push(/<[a-z][^>]*>/i.test(value) ? plainHtml(value).text : value);
    } else if (typeof value === 'object' && value !== null && depth < 30) {
      for (const each of Object.values(value)) meet(each, depth + 1);
    }
  };
  meet(parseJson(json), 0);
  return [...new Set(texts)];
}
