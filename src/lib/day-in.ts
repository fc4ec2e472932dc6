/** Names the day of an instant in a time zone: `2026-03-04`. */
export function dayIn(timeZone: () => string): (at: number) => string {
  // Making one takes longer than all that it is used for here.
  let made: Intl.DateTimeFormat | undefined;
  return (at) => {
    made ??= new Intl.DateTimeFormat('en-CA', {
      timeZone: timeZone(),
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
    return made.format(at);
  };
}
