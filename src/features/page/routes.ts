import { activityRoutes } from './activity/routes.ts';
import { chatRoutes } from './chat/routes.ts';
import { ownRoutes } from './own/routes.ts';
import type { PageRoute } from './page-route.ts';
import { peopleRoutes } from './people/routes.ts';
import { pushRoutes } from './push/routes.ts';
import { settingsRoutes } from './settings/routes.ts';
import { toolsRoutes } from './tools/routes.ts';
import { waitingRoutes } from './waiting/routes.ts';

/** All that the page may ask. */
export const pageRoutes: readonly PageRoute[] = [
  ...ownRoutes,
  ...chatRoutes,
  ...waitingRoutes,
  ...pushRoutes,
  ...activityRoutes,
  ...toolsRoutes,
  ...peopleRoutes,
  ...settingsRoutes,
];
