#!/usr/bin/env bash
# Lints the chart with the installed Helm, or else with one that is built once into .tools (minutes).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=v3.21.4
kubernetes=1.30.0 # the oldest version that the chart allows; a Helm built from source assumes 1.20
helm=$(command -v helm || true)
if [ -z "$helm" ]; then
	helm=.tools/helm-$version/helm
	[ -x "$helm" ] || GOBIN="$PWD/.tools/helm-$version" go install "helm.sh/helm/v3/cmd/helm@$version"
fi
values=(
	--set image.repository=registry.example.com/crier,publicUrl=https://crier.example.com
	--set database.existingSecret=database,secretKey.existingSecret=key
	--set s3.existingSecret=s3,s3.endpoint=https://s3.example.com,s3.bucket=crier
)
"$helm" lint --strict --kube-version "$kubernetes" deploy/helm/crier "${values[@]}"
for more in ingress.enabled=false ingress.enabled=true,podDisruptionBudget.enabled=false,serviceAccount.create=false; do
	"$helm" template --kube-version "$kubernetes" crier deploy/helm/crier "${values[@]}" --set "$more" >/dev/null
done
echo "The chart renders."
