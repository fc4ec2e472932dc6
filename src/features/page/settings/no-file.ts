import type { PageAnswer } from '../page-route.ts';
import { settingsRouteWords } from './words.ts';

/** Of a Keyturn that runs without a file. */
export const noFile: PageAnswer = { status: 404, refusal: (language) => settingsRouteWords[language].noFile };

export const badRequest: PageAnswer = { status: 400, refusal: (language) => settingsRouteWords[language].badRequest };
