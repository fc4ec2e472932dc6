/** How much may wait for a process to read it, in bytes: more than any call takes. One that reads no more is ended. */
export const mostUnread = 2 ** 24;
