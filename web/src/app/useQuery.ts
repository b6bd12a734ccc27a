// What stands behind the ? of an address, as it stands there. The router's own `useSearch` decodes it once
// before anybody takes it apart, and an `&` inside a value then ends it.

import { useRouter } from "wouter";

export function useQuery(): string {
  const router = useRouter();
  return router.searchHook(router).replace(/^\?/u, "");
}
