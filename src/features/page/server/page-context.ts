import type { Context } from 'hono';
import { type Language, languageOf, languages } from '../../../lib/words.ts';

/** `address`: of the connection. */
export interface PageEnvironment {
  readonly Bindings: { readonly address: string };
}

export type PageContext = Context<PageEnvironment>;

/** The language that the page itself asks for. */
export function saidLanguage(context: PageContext): Language | undefined {
  const said = context.req.header('x-keyturn-language');
  return languages.find((one) => one === said);
}

/** For somebody who is not known: as the page or the browser says. */
export function languageFor(context: PageContext): Language {
  const wished = context.req.header('accept-language')?.split(',') ?? [];
  const known = wished.map((one) => languageOf(one.split(';')[0]?.trim()));
  return saidLanguage(context) ?? known.find((one) => one !== undefined) ?? 'en';
}
