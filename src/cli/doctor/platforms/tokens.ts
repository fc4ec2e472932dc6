import type { InLanguage } from '../../../lib/words.ts';
import { type Answer, fault, type NoAnswer, type Problem, said } from '../check.ts';
import { platformWords } from './words.ts';

/** That the platform did not answer. */
export function unreached(platform: string, why: NoAnswer): Problem {
  return fault((language) =>
    said((reader) => platformWords[reader].platformUnreached, { platform, why: why(language) })(language),
  );
}

/** That it refuses the token. */
export function refused(platform: string, why: string): Problem {
  return fault(said((language) => platformWords[language].tokenRefused, { platform, why }));
}

/** That it answers, but not with what was asked for. */
export function faulty(platform: string, { status }: Pick<Answer, 'status'>): Problem {
  return fault(said((language) => platformWords[language].platformFault, { platform, why: String(status) }));
}

export function tokenOf(bot: string): InLanguage {
  return (language) => platformWords[language].channelOk({ bot });
}
