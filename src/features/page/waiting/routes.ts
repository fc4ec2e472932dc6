import type { PageRoute } from '../page-route.ts';

export const waitingRoutes: readonly PageRoute[] = [];
