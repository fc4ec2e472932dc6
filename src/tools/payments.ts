/*
 * What an order to pay says: whom, and how much. In "Pay Bob 50 for issue 7123 on 2024-05-19", only 50 is a sum, and only
 * Bob is paid. A number counts if it stands beside a currency, or directly behind the verb or the payee; a payee, if it
 * stands behind the verb or a "to". With several sums, each belongs to the payee beside it.
 */

import { momentOf } from './said-times.ts';
import { compactCode, isCode, numberOf, plainSpelling, standsIn } from './said-values.ts';

/**
 * Which of the values the order does not say, as whom it pays or how much. Dates are not looked at. An order without
 * numbers may mean what `own`, the person's sentences, states: "The rent is 2200, the account is DE…. Pay it."
 */
export function strangeInPayment(order: string, own: string, values: readonly string[]): readonly string[] {
  const plain = plainSpelling(order);
  const asked = values.filter((value) => momentOf(plainSpelling(value)) === undefined);
  const names = asked.filter(
    (value) => amountOf(value) === undefined && currencyOf(plainSpelling(value)) === undefined,
  );
  const units = unitsOf(plain, sumsIn(plain, names));
  const found = units.map((unit) => asked.filter((value) => !isSaidIn(unit, value, names)));
  const strange = found.toSorted((one, other) => one.length - other.length)[0] ?? asked;
  return /\p{N}/u.test(plain) ? strange : strange.filter((value) => !isStated(plainSpelling(own), value));
}

/** Whether a value is the only one of its kind that is stated. */
function isStated(own: string, value: string): boolean {
  const amount = amountOf(value);
  const found = [...own.matchAll(amount === undefined ? statedPayee : statedSum)].map(([, one = '']) => one);
  const [only, second] = found;
  if (only === undefined || second !== undefined) return false;
  return amount === undefined
    ? compactCode(only) === compactCode(plainSpelling(value))
    : amount.currency === undefined && numberOf(only) === amount.value;
}

const statedPayee =
  /(?<!\p{L})(?:account|iban|payee|recipient|账号|账户)(?: number)?(?: is|:| =|是|：) ?([a-z]{2}\d{2}(?: \d{4}){2,7}(?: \d{1,4})?|[a-z\d_-]{6,40}|[^\s@]{1,64}@[^\s@]{1,64})(?=$|[\s,.;]| and )/gu;
const statedSum =
  /(?<!\p{L})(?:rent|amount|sum|total|price|fee|payment|salary|bill|cost|租金|房租|金额)(?: is| will be| =|:|是|：)(?: now)? ?\p{Sc}?(\d[\d.,']{0,20}\d|\d)(?! ?%|\p{L}|\d)/gu;

/** A part of an order about one sum. */
interface Unit {
  /** From the beginning of the order, so that its verb can be seen. */
  readonly plain: string;
  readonly begin: number;
  readonly sum: Sum | undefined;
}

interface Sum {
  readonly at: number;
  readonly value: number;
  /** All names of its currency. */
  readonly currency: readonly string[] | undefined;
}

/** One for all if there is at most one sum; else one for each sum that is alone between two commas or "and"s. */
function unitsOf(plain: string, sums: readonly Sum[]): readonly Unit[] {
  const [only, second] = sums;
  if (second === undefined) return [{ plain, begin: 0, sum: only }];
  const borders = [0, ...[...plain.matchAll(joints)].map(({ index }) => index), plain.length];
  return borders.slice(1).flatMap((end, index) => {
    const begin = borders[index] ?? 0;
    const inside = sums.filter(({ at }) => at >= begin && at < end);
    return inside.length === 1 ? [{ plain: plain.slice(0, end), begin, sum: inside[0] }] : [];
  });
}

const joints = /, | and | plus | & |;|[，、；]|(?:和|及|以及|并)(?=\S)/g;

function isSaidIn({ plain, begin, sum }: Unit, value: string, names: readonly string[]): boolean {
  const amount = amountOf(value);
  const text = plainSpelling(value);
  const currency = amount?.currency ?? currencyOf(text);
  if (currency !== undefined && sum?.currency !== currency) return false;
  if (amount !== undefined) return sum?.value === amount.value;
  return (
    currency !== undefined ||
    (names.includes(value) && placesOf(plain, text).some((at) => at >= begin && isPaid(plain, at)))
  );
}

/** Whether a value is a sum of money, which nobody can vouch for. */
export function isAmount(value: string): boolean {
  return amountOf(value) !== undefined;
}

/** Whether a value is the name of a currency. */
export function isCurrency(value: string): boolean {
  return currencyOf(plainSpelling(value)) !== undefined;
}

/** Where a payee stands as a whole: not as a part of an address or of a longer Chinese name. */
function placesOf(plain: string, name: string): readonly number[] {
  if (isCode(name))
    return [...plain.matchAll(codes)]
      .filter(([text]) => compactCode(text) === compactCode(name))
      .map(({ index }) => index);
  const places: number[] = [];
  for (let at = plain.indexOf(name); at !== -1; at = plain.indexOf(name, at + 1)) {
    const rest = plain.slice(at + name.length);
    const isCut = /^(?:[@/_-]|\.?(?!\p{Script=Han})[\p{L}\p{N}])/u.test(rest) || /[@./_-]$/.test(plain.slice(0, at));
    const isLonger =
      /^\p{Script=Han}/u.test(rest) && /\p{Script=Han}$/u.test(name) && !/^[付支汇转退发给和及的]/u.test(rest);
    if (!isCut && !isLonger && standsIn(plain.slice(Math.max(0, at - 1)), name)) places.push(at);
  }
  return places;
}

/** Whether who stands there is paid: behind the verb, a "to", or another payee. */
function isPaid(plain: string, at: number): boolean {
  return payeePlace.test(plain.slice(0, at));
}

const fillers =
  'my|our|the|a|an|his|her|their|mr|mrs|ms|dr|friends?|landlord|landlady|wife|husband|mum|mom|dad|mother|father|brother|sister|boss|colleague|account|iban|user|member|company|wallet|number|no|address|back|all|both|user';

/** Han has no spaces. A verb is the first word. */
const payeePlace = new RegExp(
  `(?:^["'“(]?(?:[a-z-]+|\\p{Script=Han}{1,4})|(?<![\\p{L}\\p{N}])(?:to|into|at|and|account|iban)|[:,(，、：]|[给向把将付转到和](?:给)?)(?: ?(?:${fillers})\\.?(?![\\p{L}]))* ?[@"'“(:]?$`,
  'u',
);

const currencies: readonly (readonly string[])[] = [
  ['€', 'eur', 'euro', 'euros', '欧元', '欧'],
  ['$', 'us$', 'usd', 'dollar', 'dollars', 'bucks', '美元', '美金', '刀'],
  ['£', 'gbp', 'pound', 'pounds', 'quid', '英镑'],
  ['¥', 'cny', 'rmb', 'yuan', '元', '块', '块钱', '人民币', 'jpy', 'yen', '円', '日元'],
  ['chf', 'francs', 'franken'],
  ['₹', 'inr', 'rupees', 'rs'],
  ['₩', 'krw', 'won', '원'],
  ['₽', 'rub', 'roubles', 'rubles'],
  ['cad'],
  ['aud'],
  ['sek'],
  ['nok'],
  ['dkk'],
  ['pln'],
  ['czk'],
  ['hkd'],
  ['sgd'],
  ['twd'],
  ['brl'],
  ['mxn'],
  ['try'],
  ['btc', 'bitcoin', '₿'],
  ['eth', 'ether'],
  ['usdt'],
  ['usdc'],
];

function currencyOf(word: string): readonly string[] | undefined {
  return currencies.find((names) => names.includes(word));
}

const currencyNames = currencies
  .flat()
  .toSorted((one, other) => other.length - one.length)
  .map((name) => name.replaceAll('$', '\\$'))
  .join('|');

interface Amount {
  readonly value: number;
  readonly currency: readonly string[] | undefined;
}

/** Reads a whole value as a sum of money, with its currency or without. */
function amountOf(value: string): Amount | undefined {
  const plain = plainSpelling(value);
  if (isCode(plain) && !/^\d{1,3}(?: \d{3})+$/.test(plain)) return undefined;
  const [, before = '', digits = '', after = ''] = wholeAmount.exec(plain) ?? [];
  const number = numberOf(digits.replaceAll(' ', ''));
  if (number === undefined) return undefined;
  const units = [before, after].filter((unit) => unit !== '');
  const [currency, other] = units.map(currencyOf);
  if (units.length > 0 && currency === undefined) return undefined;
  return units.length === 2 && currency !== other ? undefined : { value: number, currency };
}

const digits =
  "[+-]?\\d{1,3}(?: \\d{3}){1,5}(?:[.,]\\d{1,2})?(?!\\d)|[+-]?\\d{1,20}(?:[.,']\\d{1,20}){0,8}(?:e[+-]?\\d{1,3})?";
const wholeAmount = new RegExp(`^(\\p{Sc}|[a-z$]{1,8})? ?(${digits}) ?(\\p{Sc}|[\\p{L}$]{1,8})?$`, 'u');

/** The sums of an order: with a currency if any has one, else those directly behind the verb or a payee. */
function sumsIn(plain: string, names: readonly string[]): readonly Sum[] {
  const bare = plain.replaceAll(noSums, (text) => '_'.repeat(text.length));
  const all = [...bare.matchAll(anyNumber)].map(({ index, 0: text }) => {
    const [before, after] = [plain.slice(0, index), plain.slice(index + text.length)];
    const unit = currencyBefore.exec(before)?.[1] ?? currencyAfter.exec(after)?.[1];
    const isWhole =
      !parts.test(after) &&
      !shares.test(before.replace(currencyBefore, '')) &&
      !/[\p{Script=Latin}\p{N}_.,:/+-]$/u.test(before.replace(currencyBefore, ''));
    const value = isWhole ? numberOf(text.replaceAll(' ', '')) : undefined;
    return { at: index, value, unit, isDirect: isDirect(before, after, names) };
  });
  const withUnit = all.filter(({ unit }) => unit !== undefined);
  const counted = withUnit.length > 0 ? withUnit : all.filter((one) => one.isDirect);
  return counted.map(({ at, value = Number.NaN, unit = '' }) => ({ at, value, currency: currencyOf(unit) }));
}

/** Accounts, dates and times. */
const noSums =
  /(?<![\p{Script=Latin}\p{N}])(?:[a-z]{2}\d{2}(?: ?[a-z\d]{4}){2,7}(?: ?[a-z\d]{1,4})?|\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}:\d{2}(?::\d{2})?)(?![\p{L}\p{N}])/gu;
const codes =
  /(?<![\p{Script=Latin}\p{N}])(?:[a-z]{2}\d{2}(?: ?[a-z\d]{4}){2,7}(?: ?[a-z\d]{1,4})?|\+?\d{2,6}(?:[ -]\d{2,6}){1,8})(?![\p{L}\p{N}])/gu;

const anyNumber = new RegExp(`(?<![\\p{Script=Latin}\\p{N}_]|\\p{N}[.,:/-])(?:${digits})`, 'gu');
const currencyBefore = new RegExp(`(?<![\\p{L}])(${currencyNames}) ?$`, 'u');
const currencyAfter = new RegExp(`^ ?(${currencyNames})(?![a-z])`, 'u');
/** More, less or only a part of the number before it. */
const parts =
  /^(?:[\p{Script=Latin}_]*[\d_]| ?(?:%|percent|per cent|k|m|mio|mrd|bn|thousand|million|billion|hundred|dozen|cents?|ct|pence|x|times|万|千|百|亿|億|萬|分|角|毛|折|倍|-|–|to \d|or)(?!\p{Script=Latin}))/u;

/** The number behind it is no sum that is paid: "half of", "20 more than the", "up to". */
const shares =
  /(?<!\p{L})(?:(?<!(?:sum|amount|total|payment|deposit|fee|refund|rent|transfer|tip|donation|gift|bill|price) )of(?: my| the| our| his| her| their| these| those)?|half|double|twice|up to|at most|at least|under|over|below|above|than(?: the| my| our| his| her)?|minus|plus|less|max(?:imum|\.)?|between|within) ?$|(?:最多|至多|至少|不到|超过|少于|多于) ?$/u;

/** Whether a number without a currency stands directly behind the verb or one of the payees, and is no count. */
function isDirect(before: string, after: string, names: readonly string[]): boolean {
  if (
    !/^(?: ?[.!?,;，。；！)"'”]| ?$| (?:to|for|from|on|by|into|via|with|and|back|each|now|today|tomorrow|please|in|at once)(?!\p{L})| ?[给向到])/u.test(
      after,
    )
  )
    return false;
  if (/^["'“(]?[a-z-]+ $/.test(before) || /^(?:(?:给|向)\S{1,40}?)?\p{Script=Han}{1,4} ?$/u.test(before)) return true;
  return names.some((name) => {
    const start = before.trimEnd().length - plainSpelling(name).length;
    return before.trimEnd().endsWith(plainSpelling(name)) && isPaid(before, start);
  });
}
