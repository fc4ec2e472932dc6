import { connecting } from './schema/connecting.ts';
import { knowing } from './schema/knowing.ts';
import { planning } from './schema/planning.ts';
import { remembering } from './schema/remembering.ts';
import { showing } from './schema/showing.ts';
import { talking } from './schema/talking.ts';
import { working } from './schema/working.ts';

/**
 * The schema, as the steps that lead to it. A step that was released is never changed: a new one is added behind it.
 * Instants are milliseconds since 1970.
 */
export const migrations: readonly string[] = [
  [talking, working, showing, knowing, remembering, planning, connecting].join(''),
];
