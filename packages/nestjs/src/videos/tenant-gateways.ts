import type { ModelGateway } from "@model-gateway/core";

/** Gives the API key of a tenant. Asked for each request, and never kept. */
export type APIKeyFor = (tenant: string) => string | Promise<string>;

/** The clients of an instance: one for each tenant that has a key of its own, over the connections and limits of the first. */
export class TenantGateways {
  constructor(
    /** For submissions without a tenant, and for all where tenants have no keys. */
    readonly own: ModelGateway,
    private readonly apiKeyFor: APIKeyFor | undefined,
  ) {}

  /** Whether tenants have keys of their own. */
  get areApart(): boolean {
    return this.apiKeyFor !== undefined;
  }

  /** The client for what belongs to a tenant. */
  of(tenant: string | undefined): ModelGateway {
    const { own, apiKeyFor } = this;
    // Made anew: it holds nothing, and tenants may be many.
    if (tenant === undefined || apiKeyFor === undefined) return own;
    return own.withKey(async () => {
      const key: unknown = await apiKeyFor(tenant);
      if (typeof key === "string") return key;
      throw new TypeError(`videos.apiKeyFor gave ${typeof key} for a tenant, and not its key.`);
    });
  }
}
