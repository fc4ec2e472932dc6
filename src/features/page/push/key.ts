import type { FeatureCore } from '../../../feature-points.ts';
import { keepSigningKey, signingKey } from './tables.ts';
import { newSigningKey, readSigningKey, type SigningKey } from './vapid.ts';

/** This Keyturn's own, which is made once and kept: with another one, all browsers would have to subscribe again. */
export async function ownSigningKey({ database }: Pick<FeatureCore, 'database'>): Promise<SigningKey> {
  const stored = await signingKey(database.sql);
  if (stored !== undefined) return readSigningKey(stored);
  return readSigningKey(await keepSigningKey(database, newSigningKey()));
}
