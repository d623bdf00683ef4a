# A resource that exists once the service answers. Others name it in depends_on.
terraform {
  required_version = ">= 1.4"
}

variable "address" {
  type        = string
  description = "HOST:PORT of the service"
}

resource "terraform_data" "ready" {
  triggers_replace = [var.address]

  provisioner "local-exec" {
    command = "bide http \"$ADDRESS/health\" --max-wait 5m --quiet"
    environment = {
      ADDRESS = var.address
    }
  }
}
