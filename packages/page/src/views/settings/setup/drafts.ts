import type { DraftWire, SecretWire } from '../../../../../../src/features/page/wire/settings.ts';
import { tell } from '../../../lib/ask.ts';
import { toast } from '../../../lib/toasts.ts';
import { proposeEdits, unlessRefused } from '../saving.ts';

/** Keeps what was typed in `.env`, and then shows what the config would be, which names it. */
export async function proposeDraft(
  { edits, variables }: DraftWire,
  typed: Readonly<Record<string, string>>,
): Promise<void> {
  await unlessRefused(async () => {
    for (const [key, name] of Object.entries(variables)) {
      const value = typed[key];
      if (value === undefined) continue;
      const kept = await tell<SecretWire>('settings/secret', { name, value, replaces: true });
      if (kept.type === 'refused') {
        toast(kept.why, 'fault');
        return;
      }
    }
    await proposeEdits(edits);
  });
}
