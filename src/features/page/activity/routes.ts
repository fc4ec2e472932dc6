import type { PageRoute } from '../page-route.ts';

export const activityRoutes: readonly PageRoute[] = [];
