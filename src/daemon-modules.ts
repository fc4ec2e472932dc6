import type { Bringer, SourceParts } from './daemon-bringers.ts';
import { forbiddenPlaces } from './daemon-forbidden.ts';
import { ownerNotices } from './daemon-owner-notice.ts';
import type { Ground } from './daemon-parts.ts';
import { ToolModules } from './tools/sources/module/tool-modules.ts';

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
