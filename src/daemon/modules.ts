import { ToolModules } from '../tools/sources/module/tool-modules.ts';
import type { Bringer, SourceParts } from './bringers.ts';
import { forbiddenPlaces } from './forbidden.ts';
import { ownerNotices } from './owner-notice.ts';
import type { Ground } from './parts.ts';

/** What brings the tools of the operator's own files. */
export function makeToolModules(ground: Ground, { registry, trust }: SourceParts): Bringer {
  const { config, log } = ground;
  const tellOwners = ownerNotices(ground);
  return new ToolModules({
    paths: config.tool_modules,
    isForbidden: forbiddenPlaces(config),
    registry,
    trust,
    log,
    tellOwners,
  });
}
