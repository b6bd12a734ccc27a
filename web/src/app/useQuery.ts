// The query of the address, undecoded. The router's own `useSearch` decodes it before it is split, so an `&`
// inside a value would end that value.

import { useRouter } from "wouter";

export function useQuery(): string {
  const router = useRouter();
  return router.searchHook(router).replace(/^\?/u, "");
}
